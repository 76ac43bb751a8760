import type { MessageInitShape } from '@bufbuild/protobuf';
import type { CompleteRequestSchema, GroundingSchema } from '@witan/contracts';
import type { KnowledgeService } from '@witan/contracts/services';
import type { JsonObject } from '@witan/dialects';
import type { CallOptions, Client } from '@witan/service-kit';
import { readQuestion } from '../read-question.ts';

export type Knowledge = Client<typeof KnowledgeService>;

export type CallGrounding = Required<
  Pick<MessageInitShape<typeof CompleteRequestSchema>, 'systemPreamble'>
> & { grounding: MessageInitShape<typeof GroundingSchema> };

export const groundCall = async (
  knowledge: Pick<Knowledge, 'retrieve'>,
  body: JsonObject,
  options: CallOptions,
): Promise<CallGrounding> => {
  const { passages, preamble } = await knowledge.retrieve({ query: readQuestion(body) }, options);
  const found = passages.map(({ sourceId, chunkId, page, sha256 }) => ({
    source: sourceId,
    chunkId,
    page,
    sha256,
  }));
  return { grounding: { passages: found }, systemPreamble: preamble };
};
