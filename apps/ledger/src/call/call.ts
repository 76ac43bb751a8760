import type { CertificateFilter } from '@witan/contracts';
import { canonicalJson } from '@witan/proof';
import type { CallColumns, SignedCertificate } from '../chain/sign-certificates.ts';

/** A certificate and what is stored beside it. */
export type StoredCall = SignedCertificate & CallColumns;

/**
 * Conditions that a stored certificate must fulfil. `fragments` are parts of the payload's text: it
 * is canonical JSON, and inside its strings quotes are escaped, so a member with its value can be
 * found as text, which takes a tenth of the time of parsing.
 */
export type CallConditions = { apiKeyId: string; fragments: readonly string[] };

type FilterFields = Pick<
  CertificateFilter,
  | 'agent'
  | 'addressKind'
  | 'model'
  | 'provider'
  | 'egressModel'
  | 'apiKeyId'
  | 'finishReason'
  | 'taskType'
>;

/** Start of the text of a member up to its value; two members are named `model`. */
const MEMBERS = {
  agent: '"address":{"agent":',
  addressKind: '"kind":',
  model: '"request":{"model":',
  provider: '"provider":',
  egressModel: '"egress":{"model":',
  finishReason: '"finishReason":',
  taskType: '"taskType":',
} as const satisfies Partial<Record<keyof FilterFields, string>>;

export const toConditions = (filter: FilterFields | undefined): CallConditions => ({
  apiKeyId: filter?.apiKeyId ?? '',
  fragments: Object.entries(MEMBERS).flatMap(([name, start]) => {
    const value = filter?.[name as keyof typeof MEMBERS] ?? '';
    return value === '' ? [] : [start + canonicalJson(value)];
  }),
});

export type IndexRange = { lowest: number; highest: number };

export type CallReader = {
  /** Returns the index of the chain's last certificate, or -1. */
  headIndex: (workspaceId: string) => Promise<number>;
  /** Returns the first certificate at or after an index. */
  findFrom: (workspaceId: string, index: number) => Promise<{ payload: string } | undefined>;
  /** Returns up to `limit` certificates of the range that fulfil the conditions. */
  findIn: (workspaceId: string, query: CallQuery) => Promise<StoredCall[]>;
  /** Returns those of the ids that name certificates of the workspace. */
  findIds: (workspaceId: string, ids: readonly string[]) => Promise<Set<string>>;
};

export type CallQuery = IndexRange & {
  conditions: CallConditions;
  newestFirst: boolean;
  limit: number;
};
