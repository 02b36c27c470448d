// Quotas that the demonstration's bookings keep, for all together and for each user.

export const QUOTA_RULES = `
[quotas]
operators = true
[[quotas.rules.default]]
user = "/"
nodes = 14
[[quotas.rules.default]]
user = "*"
node_hours = 100000
per = "week"
`;
