import { useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { describeError, isStatus } from '../../api/api-error.ts';
import { canUse, useSession } from '../../app/session.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { EmptyState, Failure, Notice, Skeleton } from '../../ui/page-state.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { SideDrawer } from '../../ui/side-list.tsx';
import { Time } from '../../ui/time.tsx';
import { notify } from '../../ui/toast.tsx';
import { AskBox } from './ask-box.tsx';
import { ConversationList } from './conversation-list.tsx';
import { conversationQuery, CONVERSATIONS_KEY, deleteConversation } from './conversations-query.ts';
import type { Conversation } from './conversations-query.ts';
import css from './council.module.css';
import { DebateView } from './debate-view.tsx';

const routeApi = getRouteApi('/shell/council/$conversationId');

/** One conversation with the council: each question with its debate. */
export const ConversationPage = () => {
  const { conversationId } = routeApi.useParams();
  const conversation = useQuery(conversationQuery(conversationId));
  const title = conversation.data?.title ?? 'Conversation';
  return (
    <Page
      key={conversationId}
      title={title}
      isWide
      actions={<ConversationActions id={conversationId} title={title} />}
    >
      <div className={css.layout}>
        <aside className={css.wideList}>
          <ConversationList />
        </aside>
        <div className={css.turns}>
          {conversation.isPending ? (
            <Skeleton lines={12} />
          ) : conversation.isError ? (
            isStatus(conversation.error, 404) ? (
              <MissingConversation />
            ) : (
              <Failure error={conversation.error} onRetry={() => void conversation.refetch()} />
            )
          ) : (
            <Turns conversation={conversation.data} />
          )}
        </div>
      </div>
    </Page>
  );
};

const MissingConversation = () => (
  <EmptyState icon="council" title="There is no such conversation in this workspace">
    <p>
      It may have been deleted. <Link to="/council">Ask the council</Link> a new question.
    </p>
  </EmptyState>
);

type ConversationActionsProps = { id: string; title: string };

const ConversationActions = ({ id, title }: ConversationActionsProps) => {
  const [isListOpen, setListOpen] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const session = useSession();
  return (
    <>
      <span className={css.listButton}>
        <Button icon="menu" onPress={() => setListOpen(true)}>
          Conversations
        </Button>
      </span>
      <SideDrawer label="Conversations" isOpen={isListOpen} onClose={() => setListOpen(false)}>
        <ConversationList onOpen={() => setListOpen(false)} />
      </SideDrawer>
      {canUse(session, ['conversations']) && (
        <>
          <Button kind="quiet" onPress={() => setDeleting(true)}>
            Delete
          </Button>
          <Link to="/council" className={buttonClass()}>
            <Icon name="plus" size={16} />
            New question
          </Link>
        </>
      )}
      {isDeleting && <DeleteDialog id={id} title={title} onClose={() => setDeleting(false)} />}
    </>
  );
};

type DeleteDialogProps = ConversationActionsProps & { onClose: () => void };

const DeleteDialog = ({ id, title, onClose }: DeleteDialogProps) => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const deleting = useMutation({
    mutationFn: deleteConversation,
    onSuccess: async () => {
      notify('The conversation is deleted');
      await navigate({ to: '/council' });
      client.removeQueries({ queryKey: conversationQuery(id).queryKey });
      await client.invalidateQueries({ queryKey: CONVERSATIONS_KEY });
    },
  });
  return (
    <ConfirmDialog
      title={`Delete “${title}”?`}
      isOpen
      onClose={onClose}
      action="Delete the conversation"
      isPending={deleting.isPending}
      onConfirm={() => deleting.mutate(id)}
    >
      <p>
        Its messages are deleted, and a debate that runs is ended. Certificates remain. This cannot
        be undone.
      </p>
      {deleting.isError && <Notice tone="bad">{describeError(deleting.error)}</Notice>}
    </ConfirmDialog>
  );
};

const Turns = ({ conversation: { id, title, messages } }: { conversation: Conversation }) => {
  const client = useQueryClient();
  const session = useSession();
  const questions = messages.filter(({ senderType }) => senderType === 'user');
  const last = questions.at(-1);
  const [endedId, setEndedId] = useState<string>();
  const hasEnded = last === undefined || last.debateId === null || last.debateId === endedId;
  const refresh = (): void =>
    void client.invalidateQueries({ queryKey: conversationQuery(id).queryKey });
  return (
    <>
      {questions.map((question) => (
        <Turn
          key={question.id}
          conversationId={id}
          question={question}
          isLast={question === last}
          isTitle={question.content === title}
          onEnd={() => setEndedId(question.debateId ?? undefined)}
        />
      ))}
      {hasEnded && canUse(session, ['conversations']) && (
        <Section>
          <AskBox conversationId={id} label="Ask further" onAsked={refresh} />
        </Section>
      )}
    </>
  );
};

type TurnProps = {
  conversationId: string;
  question: Conversation['messages'][number];
  isLast: boolean;
  /** True if the page's title is the question already. */
  isTitle: boolean;
  onEnd: () => void;
};

/** A question and its debate, which is folded away if a later question follows. */
const Turn = ({ conversationId, question, isLast, isTitle, onEnd }: TurnProps) => {
  const [isOpen, setOpen] = useState(isLast);
  const { debateId, content, createdAt } = question;
  return (
    <details
      className={css.turn}
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className={css.question} data-same={isTitle ? '' : undefined}>
        <span className={isTitle ? 'visually-hidden' : css.questionText}>{content}</span>
        <span className={css.asked}>
          Asked <Time at={createdAt} />
        </span>
      </summary>
      {isOpen &&
        (debateId === null ? (
          <Notice>This question was not debated. Ask again to have it debated.</Notice>
        ) : (
          <DebateView conversationId={conversationId} debateId={debateId} onEnd={onEnd} />
        ))}
    </details>
  );
};
