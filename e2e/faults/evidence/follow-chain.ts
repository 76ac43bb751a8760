import { createChainVerifier, parseCertificate } from '@witan/proof';
import type { Certificate, ChainVerifier } from '@witan/proof';
import type { SystemFile } from '@witan/stack';

/** Reads the chain of the seeded workspace and verifies only new certificates. */
export type ChainReader = {
  /**
   * Exports the chain, verifies the certificates that are new since the previous call, and returns
   * all certificates. Throws ProofError if the new part is invalid, and Error if the known part
   * changed.
   */
  readAll: (system: Pick<SystemFile, 'baseUrl' | 'apiKey'>) => Promise<readonly Certificate[]>;
};

/**
 * Creates a reader that has not read any certificates yet. The reader verifies signatures with the
 * key in the header of the first export.
 */
export const openChainReader = (): ChainReader => {
  const lines: string[] = [];
  const certificates: Certificate[] = [];
  let verifier: ChainVerifier | undefined;
  return {
    readAll: async ({ baseUrl, apiKey }) => {
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
