import { readFile } from 'node:fs/promises';

/** A process id and the start of its process, which a later process with the same id lacks. */
export type ProcessIdentity = { pid: number; startTime: string };

/** Position of `starttime`, field 22 of `/proc/PID/stat`, among the fields after the name. */
const START_TIME = 19;
/** States of a process that has ended. */
const ENDED = new Set(['Z', 'X']);

/** Returns the identity of a process, or undefined if there is none with the id or it has ended. */
export const readIdentity = async (pid: number): Promise<ProcessIdentity | undefined> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name, in parentheses, can contain spaces and parentheses.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startTime = fields?.[START_TIME];
  return startTime === undefined || ENDED.has(fields![0]!) ? undefined : { pid, startTime };
};

/** Converts an identity to the text of a file: the id, a space, the start time. */
export const formatIdentity = ({ pid, startTime }: ProcessIdentity): string =>
  `${pid} ${startTime}\n`;

/** Returns the id in the text if the same process still runs, otherwise undefined. */
export const findRecorded = async (text: string): Promise<number | undefined> => {
  const [pid, startTime] = text.trim().split(' ');
  const found = await readIdentity(Number(pid));
  return found !== undefined && found.startTime === startTime ? found.pid : undefined;
};
