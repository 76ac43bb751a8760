import type { LeafPath, RequestLeaf } from '../dialect.ts';

const FIXED_MEMBERS = new Set<unknown>(['model', 'encoding_format', 'dimensions']);

/** Classifies the members of a request. The numbers of token inputs are not read. */
export const toRequestLeaf = (
  path: LeafPath,
  body: Readonly<Record<string, unknown>>,
): RequestLeaf => {
  const [member, index] = path;
  if (FIXED_MEMBERS.has(member)) return 'fixed';
  if (member !== 'input' || path.length === 1) return 'text';
  const { input } = body;
  const item = Array.isArray(input) ? (input[Number(index)] as unknown) : undefined;
  return typeof item === 'string' ? 'text' : 'signed';
};
