import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { callGraph } from '@witan/contracts/call-graph';
import { VERSION } from '@witan/service-kit/release';
import { CATALOGUE } from '@witan/stack/system/catalogue';
import { parse } from 'yaml';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

type Mount = { source: string; read_only?: boolean; volume?: { subpath: string } };
type Container = {
  image: string;
  build?: { args: { SERVICE: string } };
  environment?: Record<string, string | number>;
  volumes?: Mount[];
  networks?: string[];
  depends_on?: Record<string, { condition: string }>;
  ports?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
};
type Compose = { services: Record<string, Container> };

/** Sample values of the variables that `witan secrets create` writes for services. */
const SECRET_VARIABLES: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://witan@postgres/witan',
  WITAN_SERVICE_KEY_FILE: '/run/witan/service-key.pem',
  WITAN_SERVICE_PUBLIC_KEYS: '/run/witan/service-public-keys.json',
  WITAN_SIGNING_KEY_FILE: '/run/witan/signing-key.pem',
  WITAN_SECRETS_KEY: Buffer.alloc(32).toString('base64'),
  NATS_URL: 'nats://nats:4222',
};

/**
 * Variables that the operator sets in these tests. All others have the defaults of `compose.yaml`.
 */
const OPERATOR_VARIABLES: Readonly<Record<string, string>> = {
  LOCAL_BASE_URL: 'http://runtime:11434/v1',
  LOCAL_MODEL: 'small',
};

const interpolate = (text: string): string =>
  text.replaceAll(
    /\$\{(\w+)(?::?-([^}]*))?\}/g,
    (_all, name: string, defaultValue = '') => OPERATOR_VARIABLES[name] ?? defaultValue,
  );

describe('compose.yaml', () => {
  let compose: Compose;
  let validate: ValidateFunction;
  beforeAll(async () => {
    const file = fileURLToPath(new URL('compose-spec.json', import.meta.url));
    const { $schema, ...schema } = JSON.parse(await readFile(file, 'utf8')) as object & {
      $schema: string;
    };
    expect($schema).toContain('draft-07');
    const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
    validate = ajv.compile(schema);
    const text = await readFile(`${ROOT}compose.yaml`, 'utf8');
    compose = parse(text, { merge: true }) as Compose;
  });
  const containerOf = (name: string): Container => compose.services[name]!;
  const environmentOf = (name: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(containerOf(name).environment ?? {}).map(([key, value]) => [
        key,
        interpolate(String(value)),
      ]),
    );

  it('is valid by the schema of the Compose Specification', async () => {
    validate(compose);
    expect(validate.errors ?? []).toEqual([]);
  });

  it.each([
    ['a misspelt key of a service', { services: { a: { image: 'x', read_onyl: true } } }],
    ['a misspelt section', { service: { a: { image: 'x' } } }],
    ['a value of the wrong type', { services: { a: { image: 'x', read_only: { yes: 1 } } } }],
    ['an unknown field of a mount', { services: { a: { volumes: [{ type: 'bind', src: '/' }] } } }],
    ['an unknown condition', { services: { a: { depends_on: { b: { condition: 'started' } } } } }],
  ])('is checked by a schema that refuses %s', (_name, document) => {
    expect(validate(document)).toBe(false);
  });

  it.each(CATALOGUE.map(({ name }) => [name]))(
    'sets exactly the variables that %s reads',
    (name) => {
      const { load } = CATALOGUE.find((one) => one.name === name)!;
      const environment = environmentOf(name);
      const read = new Set<string>();
      const env = new Proxy<Record<string, string>>(
        { ...SECRET_VARIABLES, ...environment },
        { get: (all, key: string) => (read.add(key), all[key]) },
      );
      expect(() => load(env)).not.toThrow();
      const unread = Object.keys(environment).filter(
        (key) => !read.has(key) && !/^OTEL_/.test(key),
      );
      expect(unread).toEqual([]);
    },
  );

  it("contains the addresses of each service's callees", () => {
    for (const { name } of CATALOGUE) {
      const addresses = Object.entries(environmentOf(name)).filter(([key]) =>
        /_ADDRESS$/.test(key),
      );
      const calleeAddresses = Object.keys(callGraph[name]!).map((one) => [
        `${one.toUpperCase().replaceAll('-', '_')}_ADDRESS`,
        `dns:///${one}:50051`,
      ]);
      expect(Object.fromEntries(addresses)).toEqual(Object.fromEntries(calleeAddresses));
    }
  });

  it('mounts only its own secrets into each container, writable only for the job that creates them', () => {
    for (const [name, { volumes = [] }] of Object.entries(compose.services)) {
      const secrets = volumes.filter(({ source }) => source === 'secrets');
      if (name === 'secrets') continue;
      for (const mount of secrets) {
        expect([name, mount.read_only]).toEqual([name, true]);
        const isJob = ['provision', 'migrate', 'topology'].includes(name);
        expect(mount.volume?.subpath).toBe(isJob ? 'operator' : name);
      }
    }
  });

  it("restricts the privileges of Witan's containers", () => {
    const witanServices = Object.entries(compose.services).filter(([, { image }]) =>
      /^witan\//.test(image),
    );
    expect(witanServices).toHaveLength(CATALOGUE.length + 4);
    for (const [name, container] of witanServices) {
      expect([name, container]).toEqual([
        name,
        expect.objectContaining({
          read_only: true,
          cap_drop: ['ALL'],
          security_opt: ['no-new-privileges:true'],
        }),
      ]);
    }
    for (const { name } of CATALOGUE) {
      const { build, image } = containerOf(name);
      expect([build?.args.SERVICE, image]).toEqual([
        name,
        `witan/${name}:\${WITAN_VERSION:-${VERSION}}`,
      ]);
    }
  });

  it('gives internet access only to services that need it, and publishes only the public API', () => {
    const outsideServices = CATALOGUE.map(({ name }) => name).filter((name) =>
      containerOf(name).networks?.includes('outside'),
    );
    const callers = ['llm-gateway', 'notifier', 'agents'];
    expect(outsideServices.toSorted()).toEqual([...callers, 'api-gateway'].toSorted());
    const published = Object.entries(compose.services).filter(([, { ports }]) => ports);
    expect(published.map(([name]) => name)).toEqual(['api-gateway']);
  });
});
