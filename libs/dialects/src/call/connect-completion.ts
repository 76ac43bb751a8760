import type { MessageInitShape } from '@bufbuild/protobuf';
import type {
  AnswerCompleted,
  AnswerEnding,
  AnswerPiece,
  AnswerSink,
  CompleteAsMessageSchema,
  CompleteEvent,
  CompleteOptions,
  CompleteRequestSchema,
  Complete,
  CompletionCall,
} from '@witan/contracts';

type Request = MessageInitShape<typeof CompleteRequestSchema>;
type Message = MessageInitShape<typeof CompleteAsMessageSchema>;

/** A queue between a producer and a reader; a full one returns a promise to await. */
export type Queue<T> = AsyncIterable<T> & {
  push: (value: T) => Promise<void> | undefined;
  end: () => void;
  fail: (error: unknown) => void;
};

/** `onStop` is called when the reader leaves before the end. */
export type CreateQueue = <T>(capacity: number, onStop?: () => void) => Queue<T>;

/** The ways to reach the llm-gateway; RPCs are used while it runs in another process. */
export type CompletionRpcs = {
  /** Returns the llm-gateway's own function for calls of a kind, if it runs in this process. */
  direct: (
    kind: 'complete' | 'completeAs',
  ) => ((call: object, options: CompleteOptions, sink: object) => Promise<unknown>) | undefined;
  complete?: (request: Request, options: CompleteOptions) => AsyncIterable<CompleteEvent>;
  /** For callers that edit answers. */
  completeAs?: (
    messages: AsyncIterable<Message>,
    options: CompleteOptions,
  ) => AsyncIterable<CompleteEvent>;
  createQueue?: CreateQueue;
};

/** Returns the function that runs model calls at the llm-gateway. */
export const connectCompletion =
  ({ direct, complete, completeAs, createQueue }: CompletionRpcs): Complete =>
  async (call, options, sink) => {
    const run = direct(sink.ending ? 'completeAs' : 'complete');
    if (run) return (await run(call, options, sink)) as AnswerCompleted;
    const request = toRequest(call, sink);
    if (!sink.ending) return await passEvents(complete!(request, options), sink);
    const messages = createQueue!<Message>(2);
    const deliver = (content: string | null): void => {
      void messages.push({ message: { case: 'delivered', value: { content: content ?? '' } } });
    };
    void messages.push({ message: { case: 'request', value: request } });
    try {
      return await passEvents(completeAs!(messages, options), sink, deliver);
    } finally {
      messages.end();
    }
  };

const toRequest = ({ input, ...call }: CompletionCall, { reserved }: AnswerSink): Request => ({
  ...call,
  announcesReserved: reserved !== undefined,
  input: input.case === 'wire' ? { case: input.case, value: toWire(input.value) } : input,
});

const toWire = ({
  body,
  ...wire
}: Extract<CompletionCall['input'], { case: 'wire' }>['value']) => ({ ...wire, json: body.bytes });

/**
 * Passes the events of an answer to a sink, and returns the last one. `deliver` is called with the
 * text that an editing caller delivered.
 */
export const passEvents = async (
  events: AsyncIterable<CompleteEvent>,
  sink: AnswerSink,
  deliver?: (content: string | null) => void,
): Promise<AnswerCompleted> => {
  let completed: AnswerCompleted | undefined;
  for await (const { event } of events) {
    let drained: Promise<void> | undefined;
    if (event.case === 'opened') sink.opened(event.value);
    else if (event.case === 'wire') drained = sink.bytes(event.value);
    else if (event.case === 'part') drained = sink.piece(event.value.part as AnswerPiece);
    else if (event.case === 'refused') sink.refused(event.value);
    else if (event.case === 'reserved') sink.reserved?.();
    else if (event.case === 'ending') {
      // If the text is not delivered, the call ends as aborted.
      sink.ending!(event.value as AnswerEnding).then(deliver, () => {});
    } else if (event.case === 'completed') completed = event.value as AnswerCompleted;
    if (drained) await drained;
  }
  if (!completed) throw new Error('The events of an answer ended without `completed`.');
  return completed;
};
