//! Projects.

use crate::statements::statements;

statements! {
    /// All projects.
    PROJECTS = "SELECT name, parent, source FROM projects";

    /// Everybody who is in a project.
    PROJECT_MEMBERS = "SELECT project, user_name, is_manager, source FROM project_members";

    /// A project as it is now.
    PUT_PROJECT = "INSERT INTO projects (name, parent, source) VALUES ($1, $2, $3)
        ON CONFLICT (name) DO UPDATE SET parent = EXCLUDED.parent, source = EXCLUDED.source";

    /// A user in a project, as they are now.
    PUT_PROJECT_MEMBER = "INSERT INTO project_members (project, user_name, is_manager, source)
        VALUES ($1, $2, $3, $4)
        ON CONFLICT (project, user_name)
            DO UPDATE SET is_manager = EXCLUDED.is_manager, source = EXCLUDED.source";

    /// Forgets a project, and with it who is in it.
    DELETE_PROJECT = "DELETE FROM projects WHERE name = $1";

    /// Takes a user out of a project.
    DELETE_PROJECT_MEMBER = "DELETE FROM project_members WHERE project = $1 AND user_name = $2";
}
