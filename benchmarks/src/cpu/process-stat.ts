export type ProcessStat = {
  pid: number;
  parentPid: number;
  /** User and system time of all threads of the process, including ended ones. */
  ownSeconds: number;
  /** User and system time of ended children that the process waited for, with their descendants. */
  endedChildrenSeconds: number;
};

/** Ticks per second in /proc (USER_HZ): 100 on every Linux that Node supports. */
const TICKS_PER_SECOND = 100;

/**
 * Indexes of the fields after the command's name; index 1 is field 4, `ppid`, of proc_pid_stat(5).
 */
const PARENT = 1;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
const CHILD_USER_TICKS = 13;
const CHILD_SYSTEM_TICKS = 14;

/** Parses `/proc/<pid>/stat`. Throws on other text. */
export const parseProcessStat = (text: string): ProcessStat => {
  // The command's name is in brackets and may itself contain spaces and brackets.
  const nameEnd = text.lastIndexOf(')');
  const pid = Number.parseInt(text, 10);
  const fields = text.slice(nameEnd + 2).split(' ');
  const seconds = (...places: number[]): number =>
    places.reduce((sum, index) => sum + Number(fields[index]), 0) / TICKS_PER_SECOND;
  const stat: ProcessStat = {
    pid,
    parentPid: Number(fields[PARENT]),
    ownSeconds: seconds(USER_TICKS, SYSTEM_TICKS),
    endedChildrenSeconds: seconds(CHILD_USER_TICKS, CHILD_SYSTEM_TICKS),
  };
  if (nameEnd === -1 || !Object.values(stat).every(Number.isFinite)) {
    throw new Error(`This is not the text of a /proc/<pid>/stat: ${text.slice(0, 80)}`);
  }
  return stat;
};
