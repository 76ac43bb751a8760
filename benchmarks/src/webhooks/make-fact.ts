import { create, toBinary } from '@bufbuild/protobuf';
import { DebateSynthesizedSchema } from '@witan/contracts';
import { newId } from '@witan/service-kit';
import type { NewEvent } from '@witan/service-kit';

/** What every fact of the benchmark is. */
export const FACT_TYPE = 'debate.synthesized';

const WORDS = 'The council weighed the evidence and kept what two of three agents could verify. ';
/** Makes a POST of about 1 KB. */
const SYNTHESIS = WORDS.repeat(11);

/** A fact of a workspace, of a usual length. */
export const makeFact = (workspaceId: string): NewEvent => ({
  workspaceId,
  type: FACT_TYPE,
  payload: toBinary(
    DebateSynthesizedSchema,
    create(DebateSynthesizedSchema, { conversationId: newId('cnv'), synthesis: SYNTHESIS }),
  ),
});

/** Where a workspace's facts are published. */
export const toFactSubject = (workspaceId: string): string =>
  `events.v1.${workspaceId}.${FACT_TYPE}`;
