import { createChainVerifier, parseCertificate } from '@witan/proof';
import type { Certificate, ChainVerifier } from '@witan/proof';
import type { SystemFile } from '@witan/stack';

/** The chain of the seeded workspace, verified incrementally. */
export type FollowedChain = {
  /**
   * Exports the chain, compares the known part byte for byte, and verifies the rest. Throws
   * ProofError, or an Error if the known part changed.
   */
  readOn: (system: Pick<SystemFile, 'baseUrl' | 'apiKey'>) => Promise<readonly Certificate[]>;
};

/**
 * Returns a reader that starts with an empty chain. Each certificate is verified once, with the key
 * in the export's header.
 */
export const followChain = (): FollowedChain => {
  const lines: string[] = [];
  const certificates: Certificate[] = [];
  let verifier: ChainVerifier | undefined;
  return {
    readOn: async ({ baseUrl, apiKey }) => {
      const url = `${baseUrl}/v1/proofs/export`;
      const response = await fetch(url, { headers: { 'x-api-key': apiKey } });
      if (response.status !== 200) throw new Error(`The export answered ${response.status}.`);
      const [header, ...exported] = (await response.text()).split('\n').filter(Boolean);
      verifier ??= createChainVerifier((JSON.parse(header!) as { chain: unknown }).chain);
      const changed = lines.findIndex((line, index) => exported[index] !== line);
      if (changed !== -1) throw new Error(`Certificate ${changed} changed or is gone.`);
      for (const line of exported.slice(lines.length)) {
        verifier.add(line);
        lines.push(line);
        certificates.push(parseCertificate(line));
      }
      return certificates;
    },
  };
};
