import { createProcessIo } from '@witan/proof/cli/command-io';
import { runVerify, VERIFY_USAGE } from '@witan/proof/cli/verify';
import { runVerifyChain, VERIFY_CHAIN_USAGE } from '@witan/proof/cli/verify-chain';
import { VERSION } from '@witan/service-kit/release';
import { runBalance } from './commands/balance.ts';
import { runConsole } from './commands/console.ts';
import { runLogCommand } from './commands/log.ts';
import { runSecrets } from './commands/secrets.ts';
import { runServe } from './commands/serve.ts';
import { USAGE, UsageError } from './usage.ts';

const run = async ([command, ...argv]: string[]): Promise<number | undefined> => {
  switch (command) {
    case 'verify':
      return argv.includes('--help') ? print(VERIFY_USAGE) : runVerify(argv, createProcessIo());
    case 'verify-chain':
      return argv.includes('--help')
        ? print(VERIFY_CHAIN_USAGE)
        : runVerifyChain(argv, createProcessIo());
    case 'log':
      return await runLogCommand(argv);
    case 'workspace':
      // Some commands are loaded on demand, because importing a service takes seconds.
      return (await import('./commands/workspace.ts')).runWorkspace(argv);
    case 'keys':
      return (await import('./commands/keys.ts')).runKeys(argv);
    case 'balance':
      return runBalance(argv);
    case 'console':
      return runConsole(argv);
    case 'republish':
      return (await import('./commands/republish.ts')).runRepublish(argv);
    case 'topology':
      return (await import('./commands/topology.ts')).runTopology(argv);
    case 'migrate':
      return (await import('./commands/migrate.ts')).runMigrate(argv);
    case 'provision':
      return (await import('./commands/provision.ts')).runProvision(argv);
    case 'secrets':
      return await runSecrets(argv);
    case 'doctor':
      return (await import('./commands/doctor.ts')).runDoctor(argv);
    case 'serve':
      return runServe(argv);
    case 'up':
      checkUp(argv);
      await import('@witan/stack/start');
      return undefined;
    case '--version':
      return print(VERSION);
    case 'help':
    case '--help':
      return print(USAGE);
    default:
      throw new UsageError(command ? `There is no command ${command}.` : 'A command is missing.');
  }
};

const print = (text: string): number => {
  process.stdout.write(`${text}\n`);
  return 0;
};

const checkUp = (argv: readonly string[]): void => {
  const unknown = argv.find((word) => word !== '--processes');
  if (unknown) throw new UsageError(`witan up takes --processes, not ${unknown}.`);
};

try {
  // Commands that keep running set the exit code themselves.
  const code = await run(process.argv.slice(2));
  if (code !== undefined) process.exitCode = code;
} catch (error) {
  const isUsage = error instanceof UsageError;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${message}\n${isUsage ? `\n${USAGE}\n` : ''}`);
  // The error is checked by name, because importing the class would load service-kit for every
  // command.
  const isConfigError = error instanceof Error && error.name === 'ConfigError';
  process.exitCode = isUsage || isConfigError ? 2 : 1;
}
