/**
 * The module `node:crypto`, or undefined in browsers and in runtimes that emulate Node, whose
 * Ed25519 may accept other signatures than that of OpenSSL.
 */
export const nodeCrypto = findNodeCrypto();

export type NodeCrypto = NonNullable<typeof nodeCrypto>;

function findNodeCrypto() {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> };
  const versions = process?.versions;
  if (versions === undefined || !('openssl' in versions)) return undefined;
  if ('bun' in versions || 'deno' in versions) return undefined;
  return process?.getBuiltinModule?.('node:crypto');
}
