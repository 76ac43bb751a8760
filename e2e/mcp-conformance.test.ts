import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestSystem } from '@witan/testing';
import type { TestSystem } from '@witan/testing';
import { createHttpClient, PING } from './http-client.ts';
import { openKeyProxy } from './mcp/open-key-proxy.ts';

const expectedFailuresOf = (revision: string): string =>
  fileURLToPath(new URL(`mcp/expected-failures-${revision}.yaml`, import.meta.url));
const { resolve } = createRequire(import.meta.url);
const CONFORMANCE = join(
  dirname(resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);

const OUTPUT_LENGTH = 8_000;

describe('the conformance suite of MCP', () => {
  let system: TestSystem;
  beforeAll(async () => {
    system = await openTestSystem({ hasCouncil: true });
    await createHttpClient(system).complete(PING);
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
  });

  it.each(['2026-07-28', '2025-11-25'])(
    'finds in revision %s the failures that are expected, and no other',
    async (revision) => {
      await using proxy = await openKeyProxy(system);
      const argv = ['server', '--url', `${proxy.url}/mcp`, '--requirements', revision];
      const expected = expectedFailuresOf(revision);
      const options = ['--expected-failures', expected, '--output-dir', system.home];
      const { code, stdout } = await run([CONFORMANCE, ...argv, ...options]);
      // The end of the output lists what failed.
      expect([code, code === 0 ? '' : stdout.slice(-OUTPUT_LENGTH)]).toEqual([0, '']);
    },
    240_000,
  );
});

/** Runs a program of Node; resolves with its exit code and output. */
const run = async (argv: string[]): Promise<{ code: number; stdout: string }> => {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, argv, { maxBuffer: 2 ** 26 });
    return { code: 0, stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout: `${stdout}\n${stderr}` };
  }
};
