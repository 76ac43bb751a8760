import type { Manifest } from './manifest.ts';

type KeyPair = { privatePem: string; publicPem: string };
type Sources = { newKeyPair: () => KeyPair; newSecret: (bytes: number) => Buffer };

const NAMESPACE = 'witan';
const SECRETS_KEY_BYTES = 32;
const PASSWORD_BYTES = 24;
const ENCRYPTING = new Set(['llm-gateway', 'notifier', 'agents', 'api-gateway']);
const BROKER_USERS = new Set(['notifier', 'agents', 'simulation']);

/**
 * Returns the Secrets and the ConfigMap of overlays/dev with new keys. An installation that
 * replaces its keys with these can neither decrypt its data nor continue its chains.
 */
export const makeSecrets = (services: readonly string[], sources: Sources): Manifest[] => {
  const { newKeyPair, newSecret } = sources;
  // Returns a password that starts with a letter, because the broker's configuration parses a
  // leading digit as a number.
  const newPassword = (): string => `p${newSecret(PASSWORD_BYTES).toString('hex')}`;
  const [superuser, broker] = [newPassword(), newPassword()];
  const natsUrl = `nats://witan:${broker}@nats:4222`;
  const pairs = new Map(services.map((service) => [service, newKeyPair()]));
  const publicKeys = Object.fromEntries(
    [...pairs].map(([name, { publicPem }]) => [name, publicPem]),
  );
  return [
    ...[...pairs].map(([service, { privatePem }]) =>
      secret(service, {
        'service-key.pem': privatePem,
        'database-url': databaseUrl(`witan_${service.replaceAll('-', '_')}`, newPassword()),
        ...(BROKER_USERS.has(service) ? { 'nats-url': natsUrl } : {}),
        ...(ENCRYPTING.has(service)
          ? { 'secrets-key': newSecret(SECRETS_KEY_BYTES).toString('base64') }
          : {}),
        ...(service === 'ledger' ? { 'signing-key.pem': newKeyPair().privatePem } : {}),
      }),
    ),
    secret('topology', { 'nats-url': natsUrl }),
    secret('nats', { password: broker }),
    secret('postgres', { password: superuser, 'admin-url': databaseUrl('postgres', superuser) }),
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'service-public-keys', namespace: NAMESPACE },
      data: { 'keys.json': JSON.stringify(publicKeys) },
    },
  ];
};

const databaseUrl = (role: string, password: string): string =>
  `postgresql://${role}:${password}@postgres:5432/witan`;

const secret = (name: string, stringData: Record<string, string>): Manifest => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: NAMESPACE },
  stringData,
});
