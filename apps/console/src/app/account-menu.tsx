import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { IconButton } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { notifyError } from '../ui/toast.tsx';
import { endSession, signOut } from './session.ts';

export const AccountMenu = () => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const leaving = useMutation({
    mutationFn: signOut,
    onSuccess: async () => {
      await navigate({ to: '/sign-in', search: {} });
      endSession(client);
    },
    onError: notifyError,
  });
  return (
    <Menu
      label="Account"
      trigger={<IconButton icon="user" label="Account" />}
      actions={[{ id: 'sign-out', label: 'Sign out', onAction: () => leaving.mutate() }]}
    />
  );
};
