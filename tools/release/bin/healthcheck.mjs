// Health check of a container without curl: exits with 0 if the service is ready.
import { get } from 'node:http';
import process from 'node:process';

const ADMIN_PORT = 9090;
const TIMEOUT_MS = 4000;

const port = Number(process.env.ADMIN_PORT || ADMIN_PORT);
const request = get({ host: '127.0.0.1', port, path: '/readyz', timeout: TIMEOUT_MS });
request.on('response', (response) => {
  response.pipe(process.stdout);
  process.exitCode = response.statusCode === 200 ? 0 : 1;
});
request.on('timeout', () => request.destroy(new Error(`no answer in ${TIMEOUT_MS} ms`)));
request.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
