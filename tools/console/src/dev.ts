import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { viteOptions } from './vite-options.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Serves the console from its sources for development, with the API of a running system: its
 * address is the argument, by default that of `npm start`.
 */
const main = async (): Promise<void> => {
  const [target = 'http://127.0.0.1:8080'] = process.argv.slice(2);
  const server = await createServer({
    ...viteOptions(ROOT),
    server: {
      host: '127.0.0.1',
      // The API accepts a session only from its own origin.
      proxy: { '/v1': { target, changeOrigin: true, headers: { origin: target } } },
    },
  });
  await server.listen();
  server.printUrls();
};

await main();
