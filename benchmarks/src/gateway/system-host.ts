// Runs Witan as `npm start` does, in its own process. Arguments: MODE HOME PROVIDER_URL
// [PROFILE_FOLDER].
import { releaseStartMemory } from '@witan/service-kit';
import { createSystem } from '@witan/stack';
import { serveProgram } from '../program/serve-program.ts';
import { inspectProcess } from './inside/inspect-process.ts';

const [mode, home, providerUrl, profileDir] = process.argv.slice(2);

const system = await createSystem({
  home: home!,
  mode: mode === 'processes' ? 'processes' : 'standalone',
  env: {
    PORT: '0',
    // Processes need the address of a broker. Nothing listens there: events stay in the outboxes.
    ...(mode === 'processes' ? { NATS_URL: 'nats://127.0.0.1:9' } : {}),
    METERING: 'unmetered',
    OPENAI_API_KEY: 'sk-bench',
    OPENAI_BASE_URL: `${providerUrl}/v1`,
    OPENAI_DIALECTS: 'chat-completions,responses',
    ANTHROPIC_API_KEY: 'sk-ant-bench',
    ANTHROPIC_BASE_URL: providerUrl,
    // Permits calls of the agents benchmark's tool, which listens on loopback.
    WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
    ...(profileDir ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileDir}` } : {}),
  },
});

releaseStartMemory();
serveProgram({ ready: system.file(), answer: inspectProcess, stop: system.stop });
