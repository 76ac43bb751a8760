import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ensureConsole } from '@witan/console-build/ensure-console';
import { openProgress } from '@witan/repo/progress';
import { ConfigError, LOG_FLUSH_MS, releaseStartMemory } from '@witan/service-kit';
import { createConsoleLink } from './system/create-console-link.ts';
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
  const progress = openProgress();
  let isBuilding = false;
  // The console is read on its first request, so the system starts meanwhile.
  const consoleBuild = ensureConsole(() => (isBuilding = true)).catch(reportNoConsole);
  const system = await createSystem({
    home: env.home,
    env: env.all,
    mode,
    hasCouncil: true,
    onPhase: progress.show,
  }).finally(progress.end);
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
  if (isBuilding) progress.show('building the console');
  await consoleBuild;
  progress.end();
  // The log lines of the start precede the summary; other processes write their own.
  if (values.processes) await setTimeout(LOG_FLUSH_MS);
  const file = system.file();
  const consoleLink = await createConsoleLink(file).then(
    ({ url }) => url,
    (error: unknown) => {
      process.stderr.write(`No link that signs in to the console: ${String(error)}\n`);
      return file.consoleUrl;
    },
  );
  const isWitnessed = await findIsWitnessed(file.baseUrl).catch((error: unknown) => {
    process.stderr.write(`The transparency log could not be read: ${String(error)}\n`);
    return false;
  });
  printSummary(file, { home: env.home, broker: system.broker, consoleLink, isWitnessed });
  releaseStartMemory();
};

/** Returns whether the policy of the transparency log needs a witness. */
const findIsWitnessed = async (baseUrl: string): Promise<boolean> => {
  const response = await fetch(`${baseUrl}/v1/log`);
  const { witnessed } = (await response.json()) as { witnessed?: boolean };
  return witnessed === true;
};

/** The API needs no console, so the start continues. */
const reportNoConsole = (error: unknown): void => {
  process.stderr.write(`The console could not be built: ${String(error)}\n`);
};

const isOfEnvironment = (error: unknown): boolean =>
  error instanceof ConfigError || (error instanceof NatsError && error.reason === 'not-found');

main().catch((error: unknown) => {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  if (isOfEnvironment(error)) process.exit(2);
  process.stderr.write('To check the installation: npx witan doctor\n');
  process.exit(1);
});
