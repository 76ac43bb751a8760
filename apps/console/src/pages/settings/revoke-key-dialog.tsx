import { useChange } from '../../app/use-change.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/page-state.tsx';
import { notify } from '../../ui/toast.tsx';
import { keysQuery, revokeKey } from './keys-query.ts';
import type { ApiKey } from './keys-query.ts';

type RevokeKeyDialogProps = { apiKey: ApiKey; isOwn: boolean; onClose: () => void };

export const RevokeKeyDialog = ({ apiKey, isOwn, onClose }: RevokeKeyDialogProps) => {
  const revoking = useChange({
    run: revokeKey,
    changes: [keysQuery.queryKey],
    onDone: () => {
      notify(`The key “${apiKey.name}” is revoked`);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Revoke “${apiKey.name}”?`}
      isOpen
      onClose={onClose}
      action="Revoke the key"
      isPending={revoking.isPending}
      error={revoking.error}
      onConfirm={() => revoking.mutate(apiKey.id)}
    >
      <p>Every program that uses this key is refused within 5 seconds. This cannot be undone.</p>
      {isOwn && (
        <Notice tone="warn">You are signed in with this key, so you are signed out.</Notice>
      )}
    </ConfirmDialog>
  );
};
