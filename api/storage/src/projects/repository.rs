//! Projects. A change is read, judged and written in one transaction.

use planner::project::{Project, ProjectEdit, ProjectMember, Projects};
use planner::time::Timestamp;

use super::{EditProjectsError, EditedProjects, sql};
use crate::access::repository::Tokens;
use crate::book::repository::BookRow;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::error::StorageError;
use crate::projects::row::{MemberRow, ProjectRow, projects};

repository!(
    /// Projects and who is in them.
    impl Database for ProjectTables {
        /// All projects.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn projects(&self) -> Result<Projects, StorageError> {
            let mut transaction = self.begin_read().await?;
            let all = Self::all(&mut transaction).await?;
            transaction.commit().await?;
            Ok(all)
        }

        /// Changes projects, as somebody who may say who manages them, or as one of their managers; they as they were before and
        /// are after it.
        ///
        /// # Errors
        /// See [`EditProjectsError`].
        pub async fn edit_projects(
            &self,
            edit: &ProjectEdit,
            by_manager: bool,
            now: Timestamp,
        ) -> Result<EditedProjects, EditProjectsError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let before = Self::all(connection).await?;
            let after =
                if by_manager { before.after_by_manager(edit)? } else { before.after(edit)? };
            if after == before {
                return Ok(EditedProjects { before, after });
            }
            for (name, _) in before.iter().filter(|(name, _)| after.get(name).is_none()) {
                sqlx::query(sql::DELETE_PROJECT).bind(name).execute(&mut *connection).await?;
            }
            for (name, project) in after.iter() {
                Self::write_difference(connection, name, before.get(name), project).await?;
            }
            Tokens::<Engine>::tokens_changed(connection, now).await?;
            transaction.commit().await?;
            Ok(EditedProjects { before, after })
        }
    }

    /// Parts of transactions.
    impl ProjectTables {
        /// All projects, inside a caller's transaction.
        pub(crate) async fn all(
            connection: &mut Connection<Engine>,
        ) -> Result<Projects, StorageError> {
            let rows: Vec<ProjectRow> =
                sqlx::query_as(sql::PROJECTS).fetch_all(&mut *connection).await?;
            let members: Vec<MemberRow> =
                sqlx::query_as(sql::PROJECT_MEMBERS).fetch_all(connection).await?;
            projects(rows, members)
        }

        async fn write_difference(
            connection: &mut Connection<Engine>,
            name: &str,
            before: Option<&Project>,
            after: &Project,
        ) -> Result<(), StorageError> {
            let is_the_same = |it: &Project| it.parent == after.parent && it.source == after.source;
            if !before.is_some_and(is_the_same) {
                sqlx::query(sql::PUT_PROJECT)
                    .bind(name)
                    .bind(after.parent.as_deref())
                    .bind(after.source.word())
                    .execute(&mut *connection)
                    .await?;
            }
            let members_before = before.map(|it| &it.members);
            let member = |user: &str| members_before.and_then(|members| members.get(user));
            for (user, ProjectMember { is_manager, source }) in &after.members {
                if member(user) == after.members.get(user) {
                    continue;
                }
                sqlx::query(sql::PUT_PROJECT_MEMBER)
                    .bind(name)
                    .bind(user)
                    .bind(is_manager)
                    .bind(source.word())
                    .execute(&mut *connection)
                    .await?;
            }
            let gone = members_before.into_iter().flat_map(|members| members.keys());
            for user in gone.filter(|user| !after.members.contains_key(*user)) {
                sqlx::query(sql::DELETE_PROJECT_MEMBER)
                    .bind(name)
                    .bind(user)
                    .execute(&mut *connection)
                    .await?;
            }
            Ok(())
        }
    }
);
