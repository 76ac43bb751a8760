import { create, toBinary } from '@bufbuild/protobuf';
import { DebateSynthesizedSchema } from '@witan/contracts';
import { newId } from '@witan/service-kit';
import type { NewEvent } from '@witan/service-kit';

/** Type of all events of the benchmark. */
export const EVENT_TYPE = 'debate.synthesized';

const WORDS = 'The council weighed the evidence and kept what two of three agents could verify. ';
/** Text whose length makes a POST of about 1 KB. */
const SYNTHESIS = WORDS.repeat(11);

/** Returns an event of realistic length. */
export const makeEvent = (workspaceId: string): NewEvent => ({
  workspaceId,
  type: EVENT_TYPE,
  payload: toBinary(
    DebateSynthesizedSchema,
    create(DebateSynthesizedSchema, { conversationId: newId('cnv'), synthesis: SYNTHESIS }),
  ),
});

/** Returns the broker's subject for a workspace's events. */
export const toEventSubject = (workspaceId: string): string =>
  `events.v1.${workspaceId}.${EVENT_TYPE}`;
