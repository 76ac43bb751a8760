import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { eventually } from '@witan/testing';

/** What a process of its own does with a simulation. */
export type ChildTask = {
  do: 'advance' | 'replay';
  databaseUrl: string;
  workspaceId: string;
  simulationId: string;
  /** What its agents decide. */
  levers: Readonly<Record<string, number>>;
};

/** A simulation service in a process of its own, which may be killed. */
export type Child = {
  /** Lines that it printed, after `begins` and `serves`. */
  said: () => string[];
  serves: () => Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill: () => Promise<void>;
  /** Rejects when it fails. */
  done: () => Promise<void>;
};

const MAIN = fileURLToPath(new URL('child-main.ts', import.meta.url));

export const runInChild = (task: ChildTask): Child => {
  const child = spawn(process.execPath, [MAIN, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop()!;
    lines.push(...parts);
  });
  const gone = endOf(child);
  // On a busy machine each of the two takes long.
  const wait = (line: string) => eventually(() => lines.includes(line), `The child's ${line}`);
  return {
    said: () => lines.slice(2),
    serves: async () => {
      await wait('begins');
      await wait('serves');
    },
    kill: async () => {
      child.kill('SIGKILL');
      await gone;
    },
    done: async () => {
      const code = await gone;
      if (code !== 0) throw new Error(`The child ended with ${String(code)}.`);
    },
  };
};

const endOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    child.once('close', resolve);
  });
