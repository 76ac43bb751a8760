import type { MessageInitShape } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import { CompleteAsMessageSchema, isServiceError } from '@witan/contracts';
import type { CompleteAsMessage, CompleteRequest } from '@witan/contracts';
import { createChannel } from '@witan/service-kit';
import { completeAsOverRpc } from '../src/completion/rpc/completions.ts';
import type { CompletionEvent } from '../src/completion/rpc/completions.ts';
import type { Outcome, TestCompletions } from './open-completions.ts';
import { piecesOf } from './read-as-client.ts';

type Message = MessageInitShape<typeof CompleteAsMessageSchema>['message'];

type SendMessages = (...messages: Message[]) => void;

export type OnEnding = (send: SendMessages, text: string) => void;

export const delivering =
  (edit: (text: string) => string | undefined): OnEnding =>
  (send, text) => {
    const content = edit(text);
    send({ case: 'delivered', value: content === undefined ? {} : { content } });
  };

export const readEdited = async (
  { deps, client, log }: Pick<TestCompletions, 'deps' | 'client' | 'log'>,
  request: CompleteRequest | Message,
  onEnding: OnEnding,
): Promise<Outcome> => {
  const messages = createChannel<CompleteAsMessage>(4);
  const send: SendMessages = (...sent) => {
    for (const message of sent) void messages.push(create(CompleteAsMessageSchema, { message }));
    if (sent.length === 0) messages.end();
  };
  send('case' in request! ? request : { case: 'request', value: request as CompleteRequest });
  const caller = { workspaceId: 'ws_a', requestId: 'req_1', signal: client.signal };
  const events: CompletionEvent[] = [];
  const completion = completeAsOverRpc(messages, caller, deps);
  try {
    for await (const event of completion) {
      log.push(String(event.event?.case));
      events.push(event);
      if (event.event?.case === 'ending') onEnding(send, textOf(events));
    }
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { events, failure: [error.reason, error.fields.proof].filter(Boolean).join(' ') };
  }
  return { events, failure: '' };
};

export const textOf = (events: readonly CompletionEvent[]): string =>
  piecesOf(events)
    .map((piece) => (piece.case === 'text' || piece.case === 'refusal' ? piece.value : ''))
    .join('');
