import { createProcessIo } from '@witan/proof/cli/command-io';
import { runVerify } from '@witan/proof/cli/verify';
import { runVerifyChain } from '@witan/proof/cli/verify-chain';
import { runKeys } from './commands/keys.ts';
import { runServe } from './commands/serve.ts';
import { USAGE, UsageError } from './usage.ts';

const run = async ([command, ...argv]: string[]): Promise<number | undefined> => {
  switch (command) {
    case 'verify':
      return runVerify(argv, createProcessIo());
    case 'verify-chain':
      return runVerifyChain(argv, createProcessIo());
    case 'keys':
      return runKeys(argv);
    case 'serve':
      return runServe(argv);
    case 'up':
      await import('@witan/stack/start');
      return undefined;
    case 'help':
    case '--help':
      process.stdout.write(`${USAGE}\n`);
      return 0;
    default:
      throw new UsageError(command ? `There is no command ${command}.` : 'A command is missing.');
  }
};

try {
  // A command that goes on running (a service, the system) sets its own exit code.
  const code = await run(process.argv.slice(2));
  if (code !== undefined) process.exitCode = code;
} catch (error) {
  const isUsage = error instanceof UsageError;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${message}\n${isUsage ? `\n${USAGE}\n` : ''}`);
  process.exitCode = isUsage ? 2 : 1;
}
