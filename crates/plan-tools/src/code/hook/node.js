"use strict";
(() => {
  const { isMainThread } = require("worker_threads");
  const { openSync, writeSync } = require("fs");
  const hook = __filename;
  // the script finds everything as if it had been started itself
  delete require.cache[hook];
  const at = process.execArgv.indexOf(hook);
  if (at > 0) process.execArgv.splice(at - 1, 2);
  if (!isMainThread) return;

  // open before there may be none left
  const report = openSync(`${hook}.end`, "r+");
  const told = new Set(["EACCES", "EPERM", "ENOMEM", "EFBIG", "EMFILE"]);
  // the engine has no code for an allocation that failed: this is the error that it gives
  const exhausted = (error) => {
    try {
      new ArrayBuffer(2 ** 52);
    } catch (own) {
      return error instanceof RangeError && error.message === own.message;
    }
    return false;
  };
  const code = (error) => (told.has(error.code) ? error.code : exhausted(error) ? "ENOMEM" : null);
  const find = (error) => {
    for (let depth = 0; depth < 16 && error !== null && typeof error === "object"; depth += 1) {
      if (code(error)) return error;
      const several = Array.isArray(error.errors) ? error.errors[0] : undefined;
      error = error.cause ?? several;
    }
    return null;
  };
  const tell = (thrown) => {
    const error = find(thrown);
    if (error === null) return;
    let [kind, subject] = ["other", ""];
    if (typeof error.path === "string") [kind, subject] = ["file", error.path];
    else if (["connect", "bind", "listen"].includes(error.syscall)) {
      const host = String(error.address ?? "");
      [kind, subject] = ["network", `${host.includes(":") ? `[${host}]` : host}:${error.port ?? ""}`];
    }
    writeSync(report, `${code(error)}\n${kind}\n${subject}`);
  };
  process.on("uncaughtExceptionMonitor", (error) => {
    try {
      tell(error);
    } catch {
      // it has ended anyway
    }
  });
})();
