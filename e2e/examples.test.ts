import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openTestSystem } from '@witan/testing';
import type { TestSystem } from '@witan/testing';
import { createHttpClient } from './http-client.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const EXAMPLES = join(ROOT, 'examples');
const run = promisify(execFile);

const PYTHON_MISSING = await run('python3', ['--version']).then(
  () => undefined,
  () => 'no python3 on the PATH',
);

describe('the README and the tour of examples', () => {
  it('show the examples exactly as they run', async () => {
    const pages = await Promise.all(
      ['README.md', 'docs/tour.md'].map((page) => readFile(join(ROOT, page), 'utf8')),
    );
    const text = pages.join('\n');
    const shownExamples = [...text.matchAll(/<!-- (examples\/\S+) -->\n+```\w+\n(.*?)\n```/gs)];
    expect(shownExamples.length).toBeGreaterThan(12);
    for (const [, file, block] of shownExamples) {
      const source = await readFile(join(ROOT, file!), 'utf8');
      expect([file, `${block}\n`]).toEqual([file, source]);
    }
    const exampleBlocks = new Set(shownExamples.map(([, , block]) => block));
    const blocks = [...text.matchAll(/^```(?:sh|ts|python)\n(.*?)\n```$/gms)];
    const otherBlocks = blocks
      .map(([, block]) => block!)
      .filter((block) => !exampleBlocks.has(block));
    const exportLine = 'export WITAN=http://127.0.0.1:8080 KEY=sk_live_...';
    expect(otherBlocks).toEqual(['npm start', exportLine, 'npm test', exportLine]);
  });

  it('have a README that lists every example and no other file', async () => {
    const page = await readFile(join(EXAMPLES, 'README.md'), 'utf8');
    // A folder that is a program of its own is listed as one example.
    const files = (await readdir(EXAMPLES, { recursive: true })).filter(
      (one) => one.includes('.') && !page.includes(`\`${dirname(one)}\``),
    );
    for (const file of files.filter((one) => !/README|is_from|is-from|__pycache__/.test(one))) {
      expect(page).toContain(file.replace(/^.*receiver/, 'receiver'));
    }
    for (const [, file] of page.matchAll(/`((?:webhooks\/)?[\w-]+\.(?:sh|ts|py))`/g)) {
      const path = file === 'receiver.py' ? 'webhooks/receiver.py' : file!;
      await access(join(EXAMPLES, path));
    }
  });
});

describe('runnable examples', () => {
  let system: TestSystem;
  let folder: string;

  beforeAll(async () => {
    const env = { WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1' };
    system = await openTestSystem({ hasCouncil: true, env });
    folder = await mkdtemp(join(tmpdir(), 'witan-examples-'));
    // Lets `npx witan` in this folder find the command, as in a project that depends on it.
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const environment = (extraEnv: object = {}) => ({
    ...process.env,
    WITAN: system.baseUrl,
    KEY: system.apiKey,
    ...extraEnv,
  });
  const runScript = async (file: string, extraEnv?: object): Promise<string> => {
    const options = { cwd: folder, env: environment(extraEnv), maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await run('bash', ['-euo', 'pipefail', join(EXAMPLES, file)], options);
    return stdout;
  };
  const runNode = async (file: string): Promise<string> => {
    const { stdout } = await run(process.execPath, [join(EXAMPLES, file)], { env: environment() });
    return stdout;
  };

  it('make a first call with curl and verify it offline', async () => {
    expect(await runScript('first-call.sh')).toMatch(/x-service-proof: pf_.*\}\n$/is);
    await runScript('fetch-proof.sh');
    // The URL is unreachable, because verification must use only the files.
    const verifyOutput = await runScript('verify.sh', { WITAN: 'http://127.0.0.1:1', KEY: '' });
    expect(verifyOutput.match(/^valid$/gm)).toHaveLength(2);
  });

  it('call it with the official SDKs', async () => {
    expect(await runNode('openai.ts')).toMatch(/\S.*\npf_\w+\n$/s);
    expect(await runNode('responses.ts')).toMatch(/What can you not do|offline provider/i);
    expect(await runNode('anthropic.ts')).toMatch(/\S/);
    expect(await runNode('embeddings.ts')).toMatch(/^\[ \d+, \d+ \]\npf_\w+ offline\n$/);
  });

  it('call an agent as a model, and send personal data', async () => {
    expect(await runScript('agent-model.sh')).toMatch(/"content":"[^"].*\}\n$/s);
    // The offline provider counts as local, so personal data is not masked; `privacy.test.ts` tests
    // masking.
    expect(await runScript('masking.sh')).toMatch(/ann\.lee@example\.com.*\}\n$/s);
  });

  it('chat with an agent that has memories and documents', async () => {
    const chatOutput = await runScript('agents.sh');
    expect(chatOutput).toContain('"thoughts":');
    expect(chatOutput).toContain('"key":"runway"');
    const knowledgeOutput = await runScript('knowledge.sh');
    expect(knowledgeOutput).toContain('"status":"ready"');
    expect(knowledgeOutput).toContain('"content":');
    const { json } = await createHttpClient(system).send('/v1/proofs?limit=500');
    const { proofs } = json as { proofs: { payload: { grounding?: { source: string }[] } }[] };
    const groundedProofs = proofs.filter(({ payload }) => (payload.grounding ?? []).length > 0);
    expect(groundedProofs.at(-1)!.payload.grounding).toMatchObject([
      { source: expect.stringMatching(/^kns_/) },
    ]);
  });

  it('run a debate', async () => {
    expect(await runScript('debate.sh')).toMatch(
      /^(?:The council|A majority of the council|There is no majority) .*\n/,
    );
    const streamOutput = await runScript('debate-streamed.sh');
    for (const event of ['debate.started', 'round.completed', 'done']) {
      expect(streamOutput).toContain(`event: ${event}\n`);
    }
  });

  it('simulate a company and analyse a market', async () => {
    const simulationOutput = await runScript('simulation.sh');
    expect(simulationOutput).toContain('"name":"Recession"');
    expect(simulationOutput.match(/^quarter [1-8]: cash -?\d+ thousand$/gm)).toHaveLength(16);
    expect(simulationOutput).toMatch(/^[01](?:\.\d+)?\n[^]*“As it goes”/m);
    expect(await runScript('market.sh')).toMatch(/event: (?:completed|error)\n/);
  });

  const receivers = [
    ['TypeScript', process.execPath, 'receiver.ts', undefined],
    ['Python', 'python3', 'receiver.py', PYTHON_MISSING],
  ] as const;
  for (const [language, program, file, missing] of receivers) {
    const test = missing === undefined ? it : it.skip;
    test(`receive webhooks in ${language}${missing ? ` (${missing})` : ''}`, async () => {
      const port = await findFreePort();
      const url = `http://127.0.0.1:${port}/`;
      const created = JSON.parse(await runScript('webhooks/create.sh', { URL: url })) as {
        webhook: { id: string; secret: string };
      };
      const { id, secret } = created.webhook;
      const child = spawn(program, [join(EXAMPLES, 'webhooks', file)], {
        env: {
          ...environment({ SECRET: secret, PORT: String(port) }),
          PYTHONDONTWRITEBYTECODE: '1',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
      try {
        await eventually(() => output.includes('listening'), 'The receiver');
        const client = createHttpClient(system);
        const testAnswer = await client.send(`/v1/webhooks/${id}/test`, { method: 'POST' });
        expect(testAnswer.json).toEqual({ success: true, statusCode: 204 });
        await eventually(() => output.includes('webhook.test {"'), 'The event');
        for (const signature of ['', 'sha256=', `sha256=${'0'.repeat(64)}`, 'é']) {
          const headers = { 'x-service-signature': encodeURI(signature) };
          const forgedAnswer = await fetch(url, {
            method: 'POST',
            headers,
            body: '{"event":"forged"}',
          });
          expect(forgedAnswer.status).toBe(401);
        }
        expect(output).not.toContain('forged');
      } finally {
        child.kill();
        await once(child, 'exit');
      }
    });
  }
});

const findFreePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};
