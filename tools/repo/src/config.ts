import { delimiter, join } from 'node:path';
import process from 'node:process';

/** Returns an environment in which buf finds its plugins, and scripts find the pinned Node. */
export const toolEnvironment = (root: string): Record<string, string | undefined> => ({
  ...process.env,
  NO_COLOR: '1',
  PATH: [join(root, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter),
});
