import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { isStatus } from '../../api/api-error.ts';
import { canUse, useSession } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, Failure, Notice, Skeleton } from '../../ui/page-state.tsx';
import { SideDrawer } from '../../ui/side-list.tsx';
import { useAgent } from './agents-query.ts';
import type { Agent } from './agents-query.ts';
import css from './chat.module.css';
import type { ChatRequest } from './chat-turn.ts';
import { Composer, FIRST_OPTIONS } from './composer.tsx';
import type { ChatOptions } from './composer.tsx';
import { Messages } from './messages.tsx';
import { SessionActions } from './session-actions.tsx';
import { SessionList } from './session-list.tsx';
import { sessionQuery } from './sessions-query.ts';
import type { Session } from './sessions-query.ts';
import { useChat } from './use-chat.ts';

const routeApi = getRouteApi('/shell/agents/$agentId/chat');

/** Sessions with the agent at the side, and the chosen one, or a new one. */
export const Chat = () => {
  const { agentId } = routeApi.useParams();
  const { session: sessionId } = routeApi.useSearch();
  const agent = useAgent(agentId);
  const [isListOpen, setListOpen] = useState(false);
  // Not in the conversation, because a first answer replaces it by the stored session.
  const [options, setOptions] = useState(FIRST_OPTIONS);
  const common = { agent, options, onOptions: setOptions };
  return (
    <div className={css.layout}>
      <aside className={css.side}>
        <SessionList agent={agent} />
      </aside>
      <div className={css.main}>
        <div className={css.listButton}>
          <Button icon="menu" onPress={() => setListOpen(true)}>
            Sessions
          </Button>
        </div>
        <SideDrawer label="Sessions" isOpen={isListOpen} onClose={() => setListOpen(false)}>
          <SessionList agent={agent} onOpen={() => setListOpen(false)} />
        </SideDrawer>
        {sessionId === undefined ? (
          <Conversation key="new" {...common} session={undefined} />
        ) : (
          <StoredSession key={sessionId} {...common} sessionId={sessionId} />
        )}
      </div>
    </div>
  );
};

type Common = { agent: Agent; options: ChatOptions; onOptions: (options: ChatOptions) => void };

const StoredSession = ({ sessionId, ...common }: Common & { sessionId: string }) => {
  const { agent } = common;
  const session = useQuery(sessionQuery(agent.id, sessionId));
  if (session.isPending) return <Skeleton lines={10} />;
  if (session.data !== undefined) {
    return <Conversation {...common} session={session.data} />;
  }
  if (!isStatus(session.error, 404)) {
    return <Failure error={session.error} onRetry={() => void session.refetch()} />;
  }
  return (
    <EmptyState icon="agents" title={`${agent.name} has no such session`}>
      <p>
        It may have been deleted.{' '}
        <Link to="/agents/$agentId/chat" params={{ agentId: agent.id }}>
          Begin a new one
        </Link>
        .
      </p>
    </EmptyState>
  );
};

/** The messages of a session, the turn that is answered, and the field for the next one. */
const Conversation = ({ session, ...common }: Common & { session: Session | undefined }) => {
  const { agent } = common;
  const navigate = routeApi.useNavigate();
  const canChat = canUse(useSession(), ['agents']);
  const { turn, stop, isRunning, send, dismiss } = useChat(agent.id);
  const isHere = turn !== undefined && (turn.request.sessionId ?? undefined) === session?.id;
  const ask = (request: ChatRequest): void => {
    const callbacks = {
      onSuccess: (answer: { sessionId: string } | undefined) => {
        if (answer === undefined || session !== undefined) return;
        void navigate({ search: { session: answer.sessionId }, replace: true, resetScroll: false });
      },
    };
    send({ ...request, ...(session ? { sessionId: session.id } : {}) }, callbacks);
  };
  return (
    <>
      {session && (
        <SessionActions agent={agent} session={session} canDelete={canChat && !isRunning} />
      )}
      <Messages
        agent={agent}
        messages={session?.messages ?? []}
        turn={isHere ? turn : undefined}
        onStop={stop}
        onRetry={isHere ? () => ask(turn.request) : undefined}
        onDismiss={dismiss}
      />
      {session?.closed ? (
        <Notice tone="warn">
          This session was held on this machine, and {agent.name} uses a hosted model now. It can be
          read, but not continued.
        </Notice>
      ) : canChat ? (
        <Composer {...common} isBusy={isRunning} isElsewhere={isRunning && !isHere} onSend={ask} />
      ) : (
        <Notice>
          Your key may read sessions, but not chat. Sign in with a key that has the scope “agents”.
        </Notice>
      )}
    </>
  );
};
