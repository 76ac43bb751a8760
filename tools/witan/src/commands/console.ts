import { createConsoleLink } from '@witan/stack/system/create-console-link';
import { findApi } from '../find-api.ts';
import { UsageError } from '../usage.ts';

/** Runs `witan console link [--json]`: prints a link that signs in to the console once. */
export const runConsole = async (argv: readonly string[]): Promise<number> => {
  const isJson = argv.includes('--json');
  const [action, ...rest] = argv.filter((word) => word !== '--json');
  if (action !== 'link' || rest.length > 0) throw new UsageError('witan console takes link.');
  const link = await createConsoleLink(await findApi());
  process.stdout.write(isJson ? `${JSON.stringify({ link }, undefined, 2)}\n` : `${link.url}\n`);
  return 0;
};
