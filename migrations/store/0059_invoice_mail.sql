-- How many invoices were mailed to one address: a limit keeps a team from flooding somebody in our name.
create index mails_of_recipient on mails (team_id, lower(recipient), created_at) where kind = 'invoice';
