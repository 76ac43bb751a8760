import { memo, useEffect, useRef } from 'react';
import { ApiError, describeError } from '../../api/api-error.ts';
import { ProofBadges } from '../../proof/proof-badges.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState, Notice, Pulse } from '../../ui/page-state.tsx';
import type { Agent } from './agents-query.ts';
import { Notes, Thoughts, ToolCalls } from './answer-notes.tsx';
import css from './chat.module.css';
import type { ChatTurn } from './chat-turn.ts';
import type { SessionMessage } from './sessions-query.ts';
import { useNotes } from './use-chat.ts';

type MessagesProps = {
  agent: Agent;
  messages: readonly SessionMessage[];
  /** The turn that is answered, or that failed. */
  turn: ChatTurn | undefined;
  onStop: (() => void) | undefined;
  onRetry: (() => void) | undefined;
  onDismiss: () => void;
};

/** Distance from the end of the page within which a reader follows a text that grows, in pixels. */
const FOLLOWED_PX = 320;

/** The messages of a session in order. A text that is written stays in view. */
export const Messages = (props: MessagesProps) => {
  const { agent, messages, turn } = props;
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { top = Infinity } = end.current?.getBoundingClientRect() ?? {};
    if (turn && top < innerHeight + FOLLOWED_PX) end.current?.scrollIntoView({ block: 'nearest' });
  }, [turn]);
  const isEmpty = messages.length === 0 && turn === undefined;
  return (
    <div className={css.messages}>
      {isEmpty && (
        <EmptyState icon="agents" title={`Talk to ${agent.name}`}>
          <p>
            It answers alone, in its persona, with its memories, its documents and, if you allow it,
            its tools. What it should know later, it remembers by itself.
          </p>
        </EmptyState>
      )}
      {messages.map((message, index) =>
        message.senderType === 'user' ? (
          <Question key={index} text={message.content} />
        ) : (
          <Answer key={index} message={message} agent={agent} number={(index + 1) / 2} />
        ),
      )}
      {turn && <RunningTurn {...props} turn={turn} />}
      <div ref={end} className={css.end} />
    </div>
  );
};

const Question = ({ text }: { text: string }) => (
  <article className={css.question} aria-label="You">
    <p className={css.prose}>{text}</p>
  </article>
);

type AnswerProps = { message: SessionMessage; agent: Agent; number: number };

const Answer = memo(({ message, agent, number }: AnswerProps) => {
  const { content, agentName = agent.name, proofs = [] } = message;
  const notes = useNotes(proofs);
  return (
    <article className={css.answer} aria-label={`${agentName}, answer ${number}`}>
      <h3 className={css.sender}>{agentName}</h3>
      {notes?.thoughts !== undefined && <Thoughts text={notes.thoughts} />}
      {notes && notes.toolCalls.length > 0 && <ToolCalls runs={notes.toolCalls} />}
      <p className={css.prose}>{content}</p>
      <footer className={css.foot}>
        <ProofBadges proofs={proofs} of={`answer ${number}`} />
        {notes && <Notes notes={notes} />}
      </footer>
    </article>
  );
});

type RunningTurnProps = MessagesProps & { turn: ChatTurn };

const RunningTurn = ({ agent, turn, onStop, onRetry, onDismiss }: RunningTurnProps) => {
  const { request, status, text, toolCalls, error } = turn;
  const isOpen = status === 'waiting' || status === 'writing';
  return (
    <>
      <Question text={request.message} />
      <article className={css.answer} aria-label={`${agent.name}, answer in progress`}>
        <h3 className={css.sender}>{agent.name}</h3>
        {toolCalls.length > 0 && <ToolCalls runs={toolCalls} />}
        {text !== '' && <p className={css.prose}>{text}</p>}
        {isOpen ? (
          <div className={css.status}>
            <p role="status" className={css.waiting}>
              <Pulse />
              {status === 'waiting' ? 'Thinking…' : 'Writing…'}
            </p>
            <Button kind="quiet" icon="close" onPress={() => onStop?.()}>
              Stop
            </Button>
          </div>
        ) : (
          <Notice tone={status === 'failed' ? 'bad' : 'warn'}>
            <p>{status === 'failed' ? describeFailure(error) : STOPPED}</p>
            <div className={css.buttons}>
              <Button icon="refresh" onPress={() => onRetry?.()}>
                Ask again
              </Button>
              <Button kind="quiet" onPress={onDismiss}>
                Dismiss
              </Button>
            </div>
          </Notice>
        )}
      </article>
    </>
  );
};

const STOPPED = 'You stopped this answer. The question and the answer may not be stored.';

const REASONS: Readonly<Record<string, string>> = {
  session_full: 'This session is full. Begin a new one.',
  session_closed:
    'This session was held on this machine, and its agent uses a hosted model now. ' +
    'Begin a new one.',
};

const describeFailure = (error: unknown): string => {
  const reason = error instanceof ApiError ? REASONS[error.code] : undefined;
  if (reason !== undefined) return reason;
  const isRefused = error instanceof ApiError && error.status < 500;
  const outcome = isRefused
    ? 'There is no answer, and nothing is stored.'
    : 'The answer is not complete, and may not be stored.';
  return `${outcome} ${describeError(error)}`;
};
