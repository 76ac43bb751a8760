import { describe, expect, it } from '@jest/globals';
import { ConfigError, readEnv } from '../config/read-env.ts';
import type { Env } from '../config/read-env.ts';
import { readProcessConfig } from './process-config.ts';

const KEYS = { WITAN_SERVICE_KEY_FILE: 'key.pem', WITAN_SERVICE_PUBLIC_KEYS: 'keys.json' };
const read = (env: Env, calls: readonly string[] = []) =>
  readEnv('a service', env, (reader) => readProcessConfig(reader, calls));
const readEvents = (env: Env, options: { hasEvents: boolean; requiresBroker?: boolean }) =>
  readEnv('a service', env, (reader) => readProcessConfig(reader, [], options)).events;
const errorsOf = (env: Env, calls: readonly string[] = []): readonly string[] => {
  try {
    read(env, calls);
  } catch (error) {
    if (error instanceof ConfigError) return error.errors;
    throw error;
  }
  return [];
};

describe('the configuration of a service process', () => {
  it('defaults to the production settings', () => {
    expect(read(KEYS)).toEqual({
      environment: 'production',
      logLevel: 'info',
      grpcAddress: '0.0.0.0:50051',
      adminHost: '0.0.0.0',
      adminPort: 9090,
      serviceKeyFile: 'key.pem',
      servicePublicKeysFile: 'keys.json',
      addresses: {},
      tls: undefined,
      drainMs: 25_000,
      revision: 'unknown',
    });
  });

  it('requires the address of every called service', () => {
    const env = { ...KEYS, LEDGER_ADDRESS: 'dns:///ledger:50051' };
    expect(read(env, ['ledger']).addresses).toEqual({ ledger: 'dns:///ledger:50051' });
    expect(errorsOf(env, ['llm-gateway', 'ledger'])).toEqual(['LLM_GATEWAY_ADDRESS is required']);
  });

  it('requires its private key and the public keys', () => {
    expect(errorsOf({})).toEqual([
      'WITAN_SERVICE_KEY_FILE is required',
      'WITAN_SERVICE_PUBLIC_KEYS is required',
    ]);
  });

  it('requires a broker for events, except if all services run in one process', () => {
    const env = { ...KEYS, NATS_URL: 'nats://broker:4222' };
    const events = { natsUrl: 'nats://broker:4222' };
    expect(readEvents(env, { hasEvents: false })).toBeUndefined();
    expect(readEvents(env, { hasEvents: true })).toEqual(events);
    expect(readEvents(env, { hasEvents: true, requiresBroker: false })).toEqual(events);
    expect(readEvents(KEYS, { hasEvents: true, requiresBroker: false })).toEqual({
      natsUrl: undefined,
    });
    expect(() => readEvents({}, { hasEvents: true })).toThrow(
      expect.objectContaining({
        errors: [
          'WITAN_SERVICE_KEY_FILE is required',
          'WITAN_SERVICE_PUBLIC_KEYS is required',
          expect.stringMatching(/^NATS_URL is required: set it/),
        ],
      }),
    );
  });

  it('accepts all three TLS files or none', () => {
    const files = {
      WITAN_TLS_CERT_FILE: 'cert.pem',
      WITAN_TLS_KEY_FILE: 'tls-key.pem',
      WITAN_TLS_CA_FILE: 'ca.pem',
    };
    expect(read({ ...KEYS, ...files }).tls).toEqual({
      certFile: 'cert.pem',
      keyFile: 'tls-key.pem',
      caFile: 'ca.pem',
    });
    for (const name of Object.keys(files)) {
      expect(errorsOf({ ...KEYS, ...files, [name]: '' })).toEqual([
        expect.stringContaining('go together'),
      ]);
    }
  });

  it('rejects an unknown environment', () => {
    expect(errorsOf({ ...KEYS, WITAN_ENV: 'staging' })).toEqual([
      'WITAN_ENV must be one of production, development, not "staging"',
    ]);
  });
});
