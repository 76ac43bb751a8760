import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
    const shown = [...text.matchAll(/<!-- (examples\/\S+) -->\n+```\w+\n(.*?)\n```/gs)];
    expect(shown.length).toBeGreaterThan(12);
    for (const [, file, block] of shown) {
      const source = await readFile(join(ROOT, file!), 'utf8');
      expect([file, `${block}\n`]).toEqual([file, source]);
    }
    const isExample = new Set(shown.map(([, , block]) => block));
    const blocks = [...text.matchAll(/^```(?:sh|ts|python)\n(.*?)\n```$/gms)];
    const others = blocks.map(([, block]) => block!).filter((block) => !isExample.has(block));
    const address = 'export WITAN=http://127.0.0.1:8080 KEY=sk_live_...';
    expect(others).toEqual(['npm start', address, 'npm test', address]);
  });

  it('have a README that lists every example and no other file', async () => {
    const page = await readFile(join(EXAMPLES, 'README.md'), 'utf8');
    const all = (await readdir(EXAMPLES, { recursive: true })).filter((one) => one.includes('.'));
    for (const file of all.filter((one) => !/README|is_from|is-from|__pycache__/.test(one))) {
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

  const environment = (more: object = {}) => ({
    ...process.env,
    WITAN: system.baseUrl,
    KEY: system.apiKey,
    ...more,
  });
  const shell = async (file: string, more?: object): Promise<string> => {
    const options = { cwd: folder, env: environment(more), maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await run('bash', ['-euo', 'pipefail', join(EXAMPLES, file)], options);
    return stdout;
  };
  const node = async (file: string): Promise<string> => {
    const { stdout } = await run(process.execPath, [join(EXAMPLES, file)], { env: environment() });
    return stdout;
  };

  it('make a first call with curl and verify it offline', async () => {
    expect(await shell('first-call.sh')).toMatch(/x-service-proof: pf_.*\}\n$/is);
    await shell('fetch-proof.sh');
    // The URL is unreachable, because verification must use only the files.
    const verified = await shell('verify.sh', { WITAN: 'http://127.0.0.1:1', KEY: '' });
    expect(verified.match(/^valid$/gm)).toHaveLength(2);
  });

  it('call it with the official SDKs', async () => {
    expect(await node('openai.ts')).toMatch(/\S.*\npf_\w+\n$/s);
    expect(await node('anthropic.ts')).toMatch(/\S/);
  });

  it('call an agent as a model, and send personal data', async () => {
    expect(await shell('agent-model.sh')).toMatch(/"content":"[^"].*\}\n$/s);
    // The offline provider counts as local, so personal data is not masked; `privacy.test.ts` tests
    // masking.
    expect(await shell('masking.sh')).toMatch(/ann\.lee@example\.com.*\}\n$/s);
  });

  it('chat with an agent that has memories and documents', async () => {
    const talked = await shell('agents.sh');
    expect(talked).toContain('"thoughts":');
    expect(talked).toContain('"key":"runway"');
    const asked = await shell('knowledge.sh');
    expect(asked).toContain('"status":"ready"');
    expect(asked).toContain('"content":');
    const { json } = await createHttpClient(system).send('/v1/proofs?limit=500');
    const { proofs } = json as { proofs: { payload: { grounding?: { source: string }[] } }[] };
    const grounded = proofs.filter(({ payload }) => (payload.grounding ?? []).length > 0);
    expect(grounded.at(-1)!.payload.grounding).toMatchObject([
      { source: expect.stringMatching(/^kns_/) },
    ]);
  });

  it('run a debate', async () => {
    expect(await shell('debate.sh')).toMatch(/^The council .*\n/);
    const events = await shell('debate-streamed.sh');
    for (const event of ['debate.started', 'round.completed', 'done']) {
      expect(events).toContain(`event: ${event}\n`);
    }
  });

  it('simulate a company and analyse a market', async () => {
    const played = await shell('simulation.sh');
    expect(played).toContain('"name":"Recession"');
    expect(played.match(/^quarter [1-8]: cash -?\d+ thousand$/gm)).toHaveLength(16);
    expect(played).toMatch(/^[01](?:\.\d+)?\n[^]*“As it goes”/m);
    expect(await shell('market.sh')).toMatch(/event: (?:completed|error)\n/);
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
      const made = JSON.parse(await shell('webhooks/create.sh', { URL: url })) as {
        webhook: { id: string; secret: string };
      };
      const { id, secret } = made.webhook;
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
        const tested = await client.send(`/v1/webhooks/${id}/test`, { method: 'POST' });
        expect(tested.json).toEqual({ success: true, statusCode: 204 });
        await eventually(() => output.includes('webhook.test {"'), 'The event');
        for (const signature of ['', 'sha256=', `sha256=${'0'.repeat(64)}`, 'é']) {
          const headers = { 'x-service-signature': encodeURI(signature) };
          const forged = await fetch(url, { method: 'POST', headers, body: '{"event":"forged"}' });
          expect(forged.status).toBe(401);
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
