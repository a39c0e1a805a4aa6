//! What each case says, in a sentence or two.

/// One case.
#[derive(Debug)]
pub(super) struct Case {
    /// As in the names of its tests.
    pub(super) number: &'static str,
    pub(super) says: &'static str,
}

/// Cases about one thing.
#[derive(Debug)]
pub(super) struct Chapter {
    pub(super) title: &'static str,
    pub(super) cases: &'static [Case],
}

/// Cases whose part is not built yet: none of them has a test, and every other case has one.
pub(super) const OPEN: &[&str] = &["50", "52", "53", "54", "58"];

const fn case(number: &'static str, says: &'static str) -> Case {
    Case { number, says }
}

pub(super) const CHAPTERS: &[Chapter] = &[
    Chapter {
        title: "Before anything runs",
        cases: &[
            case(
                "01",
                "A dependency that is listed twice is a warning, and the producer still goes first.",
            ),
            case(
                "02",
                "Two steps of one id are one finding: no panic, and no cycle that is not there.",
            ),
            case(
                "03",
                "A cycle is told by its members alone, and in the same words at every call.",
            ),
            case(
                "04",
                "A safety field that is misspelt on a step for a person is refused, never read as absent.",
            ),
            case(
                "05",
                "Text bound whole to an integer argument is refused, with the places of both.",
            ),
            case(
                "06",
                "An argument that a closed schema does not have is refused.",
            ),
            case(
                "07",
                "A working directory that climbs out of its root is refused.",
            ),
            case(
                "08",
                "Fan-outs that own each other, and a body that a condition outside routes to, are refused.",
            ),
            case(
                "09",
                "A plan output that names a step of a body, and two outputs of one name, are refused.",
            ),
            case(
                "10",
                "A step for a person in the body of a fan-out is refused.",
            ),
            case(
                "11",
                "A cycle that is closed by the order of a list says which of its edges came from that order.",
            ),
            case(
                "12",
                "An entry of `after` that is no name is refused and never dropped; `null` is not the empty list.",
            ),
            case(
                "13",
                "A reference to a later step is fine where there is no cycle, and the order of work is right.",
            ),
            case(
                "14",
                "A key that a planner's step does not have is refused, with those that were possible.",
            ),
            case(
                "15",
                "Far too many steps are one finding about the ceiling.",
            ),
            case(
                "16",
                "Names with characters that nobody sees, and names that look like others, are refused or differ; none is folded into another.",
            ),
            case(
                "17",
                "Values of hundreds of levels, and a text of brackets alone, are refused before anything runs and without recursion.",
            ),
            case(
                "18",
                "Keys that are there twice, numbers that readers differ on, trailing data and a second document are refused or normalised.",
            ),
            case("19", "What other systems would expand stays text."),
            case(
                "20",
                "A reference as a key, in the name of a tool or in the source of a script is refused.",
            ),
            case(
                "21",
                "No attempts, a million of them, and a retry of a call that is not safe to repeat are refused.",
            ),
            case(
                "22",
                "A destructive call that some way reaches without an approval is refused with that way named, or asked about at the call with its exact arguments.",
            ),
            case(
                "23",
                "What a plan may call is its calls: other arguments, or one call more, are refused at the call.",
            ),
            case(
                "24",
                "An argument that the policy rules may not be left to the tool's default.",
            ),
            case(
                "25",
                "A tool whose schema cannot be used is set aside; the others work.",
            ),
            case(
                "25a",
                "A planner's names may have blanks, and its extra words about itself are fine.",
            ),
            case(
                "25b",
                "A bundle of INXM Local loads as it is, without a finding.",
            ),
            case(
                "25c",
                "An expression past its bounds is a finding, on a small stack too.",
            ),
        ],
    },
    Chapter {
        title: "Running",
        cases: &[
            case(
                "26",
                "Independent steps overlap: five calls of 200 ms take about 200 ms.",
            ),
            case(
                "27",
                "A call that fails, panics or is gone fails its step, nothing that needs it runs, and the run says failed.",
            ),
            case(
                "28",
                "An `any` join runs after either side of a branch with the value that there is; the other side is skipped with a reason.",
            ),
            case(
                "29",
                "A run that ended has no open step, however its steps ended.",
            ),
            case(
                "30",
                "The time limit and the retries of a step in a body hold for each item, and every attempt is on record.",
            ),
            case(
                "31",
                "A script that echoes much, that leaves its input unread, or that has too long an argument ends, or fails clearly, and never hangs.",
            ),
            case("32", "A null output stays null, and can be tested for."),
            case(
                "33",
                "`until` that holds on the third of five is three items; that never holds, a failure with the reason.",
            ),
            case(
                "34",
                "No text passes an approval, questions side by side are told apart, and an answer is used once.",
            ),
            case(
                "35",
                "What looks like a reference within a value is text, and a whole reference gives any output back.",
            ),
            case("36", "A result steers nothing, whatever its keys are."),
            case(
                "37",
                "A result that cannot be stored fails its own step; the others go on, and it is on record.",
            ),
            case(
                "38",
                "A deadline ends a run with everything known told: what was done, failed, in flight, never started.",
            ),
            case("39", "Runs side by side see nothing of each other."),
            case(
                "40",
                "A panic fails its step alone, and what comes late from an attempt that ended changes nothing.",
            ),
            case(
                "41",
                "Cancelling stops what is in flight, processes and their children too, starts nothing more, and cancelled steps say so.",
            ),
            case(
                "42",
                "A secret is in no file, event, log, report, error, prompt or terminal.",
            ),
            case(
                "43",
                "What tools and models say about their errors is stripped, capped and marked before a person or a model reads it.",
            ),
            case(
                "44",
                "A step costs the same, in time and in bytes, wherever in a long plan it stands.",
            ),
        ],
    },
    Chapter {
        title: "Resuming, stores, repair",
        cases: &[
            case(
                "45",
                "A run that was killed goes on elsewhere: what is done is not done again, and what was in flight and may not be repeated asks.",
            ),
            case(
                "46",
                "Of two processes that resume one run one goes on and the other is told so; a third may answer or cancel meanwhile.",
            ),
            case(
                "46a",
                "Steps that a failure kept from starting are run by the resume; a call whose effect is unknown is repeated only on somebody's word.",
            ),
            case("46b", "What was killed leaves no process behind."),
            case(
                "47",
                "A plan that was edited after it was checked runs nothing, and a version never takes other content.",
            ),
            case(
                "48",
                "A tool that changed since the check stops the resume, and approvals of its calls do not carry over; one that was added changes nothing.",
            ),
            case(
                "49",
                "A tool that is no longer there stops the run before any effect.",
            ),
            case(
                "50",
                "A patch to a finished step runs it again with what depends on it, and a step that became an approval asks.",
            ),
            case(
                "51",
                "Items that are done survive a failure and a repair, in their order and once.",
            ),
            case(
                "52",
                "A patch that lets the plan do more is refused until each of its items is accepted.",
            ),
            case(
                "53",
                "A patch to an older version, or the same one twice, is refused and stays as it was.",
            ),
            case(
                "54",
                "The history of a failed run is there after its repaired one succeeded.",
            ),
            case(
                "55",
                "A store with a record that cannot be read opens, and says so; one of a newer schema is refused clearly.",
            ),
            case("56", "Nobody hears of a locked database."),
            case("57", "Budgets count over every resume of a run."),
            case("58", "Old runs can be pruned, and the file shrinks."),
        ],
    },
];
