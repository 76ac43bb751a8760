import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import protobuf from 'protobufjs';

const LOADS_FILE = "loadSync)('health/v1/health.proto', {";

/**
 * Puts the proto file of grpc-health-check into the bundle, because the package reads the file at
 * run time.
 */
export const inlineHealthProto: Plugin = {
  name: 'inline-health-proto',
  setup: (build) => {
    build.onLoad({ filter: /\/grpc-health-check\/build\/src\/health\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (!text.includes(LOADS_FILE)) {
        return { errors: [{ text: `${path} does not read its contract as it did: look at it.` }] };
      }
      const proto = join(path, '../../../proto/health/v1/health.proto');
      const parsed = protobuf.parse(await readFile(proto, 'utf8'), { keepCase: true });
      const contract = JSON.stringify(parsed.root.toJSON());
      return { contents: text.replace(LOADS_FILE, () => `fromJSON)(${contract}, {`), loader: 'js' };
    });
  },
};
