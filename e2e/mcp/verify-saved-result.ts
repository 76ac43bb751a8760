import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runVerify } from '@witan/proof/cli/verify';
import { createHttpClient } from '../http-client.ts';
import type { Caller } from '../http-client.ts';

/**
 * Saves a response of the MCP endpoint and the certificate, runs `witan verify` on the files, and
 * returns its last line. A request to the network fails the verification.
 */
export const verifySavedResult = async (
  system: Caller & { home: string },
  proofId: string,
  body: string,
): Promise<string> => {
  const client = createHttpClient(system);
  const save = async (name: string, text: string): Promise<string> => {
    const path = join(system.home, name);
    await writeFile(path, text);
    return path;
  };
  const { text } = await client.send(`/v1/proofs/${proofId}`);
  const keys = await client.send('/v1/gateway/public-key');
  const argv = [
    await save('certificate.json', text),
    '--public-key',
    await save('public-key.json', keys.text),
    '--response',
    await save('result.json', body),
  ];
  const lines: string[] = [];
  await runVerify(argv, {
    stdout: (line) => void lines.push(line),
    stderr: (line) => void lines.push(line),
    readFile: async function* (path) {
      yield await readFile(path);
    },
    fetch: () => Promise.reject(new Error('A verification needs no network')),
  });
  return lines.at(-1)!;
};
