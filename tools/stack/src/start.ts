import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ConfigError, LOG_FLUSH_MS } from '@witan/service-kit';
import { createConsoleLink } from './system/create-console-link.ts';
import { ensureConsole } from '@witan/console-build/ensure-console';
import { createSystem } from './system/create-system.ts';
import { NatsError } from './postgres/postgres-error.ts';
import { printSummary } from './print-summary.ts';
import { readStartEnv } from './config.ts';

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: { processes: { type: 'boolean', default: false } },
    // `witan up` passes `up` as the first argument.
    allowPositionals: true,
  });
  const env = readStartEnv();
  const mode = values.processes ? 'processes' : 'standalone';
  // The console is read on its first request, so the system starts meanwhile.
  const buildingConsole = buildConsole();
  const system = await createSystem({
    home: env.home,
    env: env.all,
    mode,
    hasCouncil: true,
  });
  let stopping = false;
  const onSignal = (): void => {
    if (stopping) return;
    stopping = true;
    void system.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  await buildingConsole;
  // The log lines of the start precede the summary; other processes write their own.
  if (values.processes) await setTimeout(LOG_FLUSH_MS);
  const file = system.file();
  const { url: consoleLink } = await createConsoleLink(file);
  printSummary(file, { home: env.home, broker: system.broker, consoleLink });
};

/** Builds the console if its sources have changed. A failure is reported, as the API needs none. */
const buildConsole = async (): Promise<void> => {
  try {
    await ensureConsole(() => process.stdout.write('\n  Building the console...\n'));
  } catch (error) {
    process.stderr.write(`\n  The console could not be built: ${String(error)}\n`);
  }
};

const isOfEnvironment = (error: unknown): boolean =>
  error instanceof ConfigError || (error instanceof NatsError && error.reason === 'not-found');

main().catch((error: unknown) => {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(isOfEnvironment(error) ? 2 : 1);
});
