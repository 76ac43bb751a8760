import type { JsonObject } from '@witan/dialects';
import { yieldAfter } from '@witan/service-kit';
import type { EncryptedTable, SecretCipher } from '@witan/service-kit';
import type { FoundResponse, StoredResponse } from '../stored-response.ts';

export type Row = { id: string; previous_id: string; sealed_response: string };
export type InputRow = { id: string; sealed_input: string | null; sealed_response: string };
/** The encrypted content of a row, besides the input. */
type Content = Omit<FoundResponse, 'id' | 'previousId'>;

/** Creates what encrypts the parts of a response, each bound to its row. */
export const createCodec = (secretCipher: SecretCipher) => {
  const encrypt = (workspaceId: string, id: string, text: string): Promise<string> =>
    secretCipher.encryptInSteps(text, contextOf(workspaceId, id));
  const decrypt = async (workspaceId: string, id: string, sealed: string): Promise<unknown> => {
    const text = await secretCipher.decryptInSteps(sealed, contextOf(workspaceId, id));
    await yieldAfter(text.length);
    const value: unknown = JSON.parse(text);
    await yieldAfter(text.length);
    return value;
  };
  const decryptResponse = async (workspaceId: string, row: Row): Promise<FoundResponse> => {
    const content = (await decrypt(workspaceId, row.id, row.sealed_response)) as Content;
    return { id: row.id, previousId: row.previous_id, ...content };
  };
  const decryptInput = async (workspaceId: string, row: InputRow): Promise<JsonObject[]> => {
    const { id, sealed_input: sealedInput, sealed_response: sealedResponse } = row;
    if (sealedInput !== null) return (await decrypt(workspaceId, id, sealedInput)) as JsonObject[];
    const { input = [] } = (await decrypt(workspaceId, id, sealedResponse)) as WithInput;
    return input;
  };
  return {
    encrypt,
    encryptResponse: (
      workspaceId: string,
      { id, proofId, response, isLocal, modules }: Omit<FoundResponse, 'previousId'>,
    ): Promise<string> => {
      const content = { proofId, response, isLocal, modules } satisfies Content;
      return encrypt(workspaceId, id, JSON.stringify(content));
    },
    decryptResponse,
    decryptInput,
    decryptWhole: async (workspaceId: string, row: Row & InputRow): Promise<StoredResponse> => {
      const response = await decryptResponse(workspaceId, row);
      // A response of the previous release contains its input, which was decrypted with it.
      if (row.sealed_input === null) return { input: [], ...response };
      return { ...response, input: await decryptInput(workspaceId, row) };
    },
  };
};

/** The content of a row of the previous release, or of a response that failed without its input. */
type WithInput = { input?: JsonObject[] };

const contextOf = (workspaceId: string, id: string): string =>
  `stored_response:${workspaceId}:${id}`;

export const ENCRYPTED_RESPONSES: EncryptedTable = {
  table: 'stored_response',
  key: 'id',
  columns: ['sealed_response', 'sealed_input'],
  // A row may have tens of MB.
  batchRows: 4,
  contextOf,
};
