import manifest from '../../../../package.json' with { type: 'json' };

/** Version of this release. Of the root package.json, the one source of it. */
export const VERSION = manifest.version;

/** Revision of a program that was built without one, for example from a checkout. */
export const UNKNOWN_REVISION = 'unknown';
