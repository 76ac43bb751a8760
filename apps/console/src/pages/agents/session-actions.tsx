import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { describeError } from '../../api/api-error.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/page-state.tsx';
import { Time } from '../../ui/time.tsx';
import { notify } from '../../ui/toast.tsx';
import type { Agent } from './agents-query.ts';
import css from './chat.module.css';
import { deleteSession, sessionQuery, sessionsQuery } from './sessions-query.ts';
import type { Session } from './sessions-query.ts';

type SessionActionsProps = { agent: Agent; session: Session; canDelete: boolean };

/** The title of a session, and its deletion. */
export const SessionActions = ({ agent, session, canDelete }: SessionActionsProps) => {
  const [isDeleting, setDeleting] = useState(false);
  return (
    <div className={css.head}>
      <div>
        <h2>{session.title}</h2>
        <p className="muted">
          Begun <Time at={session.createdAt} />
        </p>
      </div>
      {canDelete && (
        <Button kind="quiet" onPress={() => setDeleting(true)}>
          Delete the session
        </Button>
      )}
      {isDeleting && (
        <DeleteDialog agent={agent} session={session} onClose={() => setDeleting(false)} />
      )}
    </div>
  );
};

type DeleteDialogProps = Omit<SessionActionsProps, 'canDelete'> & { onClose: () => void };

const DeleteDialog = ({ agent, session, onClose }: DeleteDialogProps) => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const deleting = useMutation({
    mutationFn: () => deleteSession(agent.id, session.id),
    onSuccess: async () => {
      notify('The session is deleted');
      await navigate({ to: '/agents/$agentId/chat', params: { agentId: agent.id } });
      client.removeQueries({ queryKey: sessionQuery(agent.id, session.id).queryKey });
      await client.invalidateQueries({ queryKey: sessionsQuery(agent.id).queryKey });
    },
  });
  return (
    <ConfirmDialog
      title={`Delete “${session.title}”?`}
      isOpen
      onClose={onClose}
      action="Delete the session"
      isPending={deleting.isPending}
      onConfirm={deleting.mutate}
    >
      <p>
        Its messages are deleted. What {agent.name} has remembered, and the certificates, remain.
        This cannot be undone.
      </p>
      {deleting.isError && <Notice tone="bad">{describeError(deleting.error)}</Notice>}
    </ConfirmDialog>
  );
};
