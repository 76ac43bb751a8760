import { closedObject, count, instant, text } from '../../http/schema.ts';

export const LOG = closedObject({
  origin: { ...text, description: 'Name of the log, a URL without its scheme; never changes' },
  vkeys: {
    type: 'array',
    items: text,
    description: 'Keys that sign checkpoints, as `<name>+<id>+<base64>` (c2sp.org/signed-note)',
  },
  intervalMs: { ...count, description: 'Time between epochs while there are new certificates' },
  policy: {
    ...text,
    description:
      'Log, witnesses and quorum (c2sp.org/tlog-policy). Get it from somebody other than this ' +
      'server before you trust it. With `quorum none` the log is not witnessed',
  },
  witnessed: {
    type: 'boolean',
    description: 'False if the policy needs no witness: then the operator could show two logs',
  },
  size: { ...count, description: 'Number of published epochs' },
  publishedAt: { anyOf: [instant, { type: 'null' }] },
});

export const TILE_PATH_DESCRIPTION =
  'A tile of 256 hashes, or of 256 entries, in the form of c2sp.org/tlog-tiles: ' +
  '`<level>/<n>`, `entries/<n>`, with `.p/<width>` for a partial one, and `n` in groups of three ' +
  'digits such as `x001/234`';
