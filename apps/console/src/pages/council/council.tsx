import { useNavigate } from '@tanstack/react-router';
import { Page, Section } from '../../ui/page.tsx';
import { canUse, useSession } from '../../app/session.ts';
import { Notice } from '../../ui/page-state.tsx';
import { AskBox } from './ask-box.tsx';
import { ConversationList } from './conversation-list.tsx';
import css from './council.module.css';

const INTRO =
  'Ask a question. All agents of the workspace debate it; you see who is for and against, ' +
  'who changed its mind, and who dissents.';

/** Asks the council a first question, with the past conversations at the side. */
export const Council = () => {
  const navigate = useNavigate();
  const session = useSession();
  const open = (conversationId: string): void =>
    void navigate({ to: '/council/$conversationId', params: { conversationId } });
  return (
    <Page title="Council" intro={INTRO}>
      <div className={css.start}>
        <Section>
          {canUse(session, ['conversations']) ? (
            <AskBox label="Your question" onAsked={open} />
          ) : (
            <Notice>
              Your key may read conversations, but not ask. Sign in with a key that has the scope
              “conversations”.
            </Notice>
          )}
        </Section>
        <aside className={css.aside}>
          <ConversationList />
        </aside>
      </div>
    </Page>
  );
};
