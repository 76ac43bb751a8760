import { useState } from 'react';
import { useChange } from '../../app/use-change.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { keysQuery, rotateKey } from './keys-query.ts';
import { OWN_KEY_MISSING, OwnKeyField } from './own-key-field.tsx';
import type { ApiKey } from './keys-query.ts';

type RotateKeyDialogProps = { apiKey: ApiKey; onClose: () => void };

export const RotateKeyDialog = ({ apiKey, onClose }: RotateKeyDialogProps) => {
  const [immediately, setImmediately] = useState(false);
  const [ownKey, setOwnKey] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const rotating = useChange({ run: rotateKey, changes: [keysQuery.queryKey] });
  const submit = (): void => {
    setIsMissing(ownKey.trim() === '');
    if (ownKey.trim() === '') return;
    rotating.mutate({ id: apiKey.id, immediately, ownKey: ownKey.trim() });
  };
  return (
    <SecretDialog
      title={`Rotate “${apiKey.name}”`}
      secret={rotating.data?.key}
      name="key"
      secretTitle="Your new API key"
      onClose={onClose}
    >
      <DialogForm
        action="Rotate the key"
        isPending={rotating.isPending}
        problem={rotating.error}
        onSubmit={submit}
        onClose={onClose}
      >
        <p>
          A new key with the same name, scopes and expiry replaces this one. The old key keeps
          working for 24 hours, so that programs can change over.
        </p>
        <Checkbox isSelected={immediately} onChange={setImmediately}>
          End the old key at once, because it may be known to others
        </Checkbox>
        <OwnKeyField
          value={ownKey}
          onChange={setOwnKey}
          error={isMissing ? OWN_KEY_MISSING : undefined}
        />
      </DialogForm>
    </SecretDialog>
  );
};
