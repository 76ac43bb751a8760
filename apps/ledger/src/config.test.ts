import { expect, it } from '@jest/globals';
import { loadConfig } from './config.ts';

const env = { DATABASE_URL: 'postgres://ledger', WITAN_SIGNING_KEY_FILE: 'key.pem', PORT: '1' };

it.each(['wi\ntan', 'wi\ud800tan'])('refuses the issuer %j', (issuer) => {
  expect(() => loadConfig({ ...env, WITAN_ISSUER: issuer })).toThrow(
    'WITAN_ISSUER must be one line of well-formed Unicode',
  );
});
