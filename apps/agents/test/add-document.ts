import type { KnowledgeDocument } from '@witan/contracts';
import type { KnowledgeService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsFor } from './open-agents.ts';

type Knowledge = Client<typeof KnowledgeService>;

export type DocumentDraft = { sourceId: string; text: string; title?: string };

/** Uploads a plain-text document in several messages, as the api-gateway does. */
export const addDocument = async (
  knowledge: Knowledge,
  workspaceId: string,
  { sourceId, text, title = '' }: DocumentDraft,
): Promise<KnowledgeDocument> => {
  const content = Buffer.from(text);
  const messages = async function* () {
    const head = { sourceId, title, mediaType: 'text/plain', fileName: '' };
    yield { message: { case: 'head' as const, value: head } };
    for (let index = 0; index < content.length; index += 500_000) {
      const value = content.subarray(index, index + 500_000);
      yield { message: { case: 'content' as const, value } };
    }
  };
  for await (const { document } of knowledge.addDocument(messages(), optionsFor(workspaceId))) {
    return document!;
  }
  throw new Error('The call ended without a document.');
};
