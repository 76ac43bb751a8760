import type { Provider } from './provider.ts';

/** Where a call with a JSON Schema goes. */
export type SchemaRecipient = { workspaceId: string; provider: Provider; model: string };

/** Knows which models accept a JSON Schema for their answers. */
export type SchemaSupport = {
  isAccepted: (recipient: SchemaRecipient) => boolean;
  /**
   * Records that a model refused a schema, and accepted the same call without it; it gets none from
   * this workspace for half an hour.
   */
  onRefused: (recipient: SchemaRecipient) => void;
};

const REFUSED_MS = 30 * 60_000;
const ENTRIES_MAX = 1_000;

/**
 * Creates a `SchemaSupport` that relies on what the operator says of a provider, and otherwise on
 * the provider's refusals. They are recorded by workspace, because a workspace's own schema can be
 * the reason.
 */
export const createSchemaSupport = (clock: () => number): SchemaSupport => {
  const refusals = new WeakMap<Provider, Map<string, number>>();
  const keyOf = ({ workspaceId, model }: SchemaRecipient): string => `${workspaceId} ${model}`;
  return {
    isAccepted: (recipient) => {
      const { adaptation } = recipient.provider;
      if (adaptation?.jsonSchema === false) return false;
      if (adaptation?.unsupported.includes('response_format')) return false;
      const refusedAt = refusals.get(recipient.provider)?.get(keyOf(recipient)) ?? -Infinity;
      return clock() - refusedAt >= REFUSED_MS;
    },
    onRefused: (recipient) => {
      const models = refusals.get(recipient.provider) ?? new Map<string, number>();
      refusals.set(recipient.provider, models);
      // Deleted first, so that the Map remains in the order of time.
      models.delete(keyOf(recipient));
      models.set(keyOf(recipient), clock());
      if (models.size > ENTRIES_MAX) models.delete(models.keys().next().value!);
    },
  };
};

const REFUSED_STATUS: ReadonlySet<number> = new Set([400, 404, 422, 501]);
const NAMES_SCHEMA =
  /response_?format|json[_ ]?schema|schema|grammar|structured|output_config|text\.format/i;

/** Returns whether a provider's error refuses the JSON Schema of a request that has one. */
export const refusesSchema = (status: number, body: Uint8Array): boolean =>
  REFUSED_STATUS.has(status) && NAMES_SCHEMA.test(Buffer.from(body).toString('utf8'));
