def _planwright():
    import errno
    import os
    import sys

    # the script finds everything as if it had been started itself
    main = sys.modules["__main__"].__dict__
    del main["_planwright"]
    hook = sys.argv.pop(0)
    script = sys.argv[0]
    if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
        sys.path[0] = os.path.dirname(script)
    main["__file__"] = script
    main["__loader__"] = type(main["__loader__"])("__main__", script)

    told = ("EACCES", "EPERM", "ENOMEM", "EFBIG", "EMFILE")
    # for what is to be said when there is no memory and no file left
    spare = bytearray(1 << 20)
    report = os.open(hook + ".end", os.O_WRONLY)
    reached = []

    def watch(event, args):
        if event == "socket.connect" or event == "socket.bind":
            reached[:] = [args[1]]

    def tell(error):
        for _ in range(16):
            if error is None:
                return
            code = None
            if isinstance(error, MemoryError):
                code = "ENOMEM"
            elif isinstance(error, OSError):
                code = errno.errorcode.get(error.errno)
            if code in told:
                break
            cause = error.__cause__
            if cause is None and isinstance(error, OSError) and not error.__suppress_context__:
                cause = error.__context__
            error = cause
        else:
            return
        kind, subject = "other", b""
        if isinstance(error, OSError) and error.filename is not None:
            kind = "file"
            if isinstance(error.filename, (str, bytes)):
                subject = os.fsencode(error.filename)
        elif reached:
            kind = "network"
            address = reached[0]
            if isinstance(address, tuple) and len(address) >= 2:
                host = str(address[0])
                host = "[" + host + "]" if ":" in host else host
                subject = (host + ":" + str(address[1])).encode(errors="replace")
        os.write(report, code.encode() + b"\n" + kind.encode() + b"\n" + subject)

    shown = sys.excepthook

    def ended(kind, error, trace):
        del spare[:]
        try:
            tell(error)
        except BaseException:
            pass
        while trace is not None and trace.tb_frame.f_code.co_filename == hook:
            trace = trace.tb_next
        error.__traceback__ = trace
        shown(kind, error, trace)

    sys.excepthook = ended
    if hasattr(sys, "addaudithook"):
        sys.addaudithook(watch)
    with open(script, "rb") as file:
        text = file.read()
    exec(compile(text, script, "exec", dont_inherit=True), main)


_planwright()
