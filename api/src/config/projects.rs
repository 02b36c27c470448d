//! Projects: `[projects]`. See `docs/PROJECTS.md`.

use serde::Deserialize;

/// What people of a project may do with each other's reservations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProjectSettings {
    /// What members may.
    pub members: Concession,
    /// What managers may.
    pub managers: Concession,
    /// Whether a reservation must be for a project.
    pub required: bool,
}

/// What somebody may do with reservations that are not theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Concession {
    /// Nothing.
    None,
    /// See them.
    See,
    /// See and change them as if they were theirs.
    Act,
}

/// What the file says.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectFields {
    members: Option<Concession>,
    managers: Option<Concession>,
    #[serde(default)]
    required: bool,
}

impl ProjectSettings {
    /// Reads the section. Who manages a project sees it at least.
    ///
    /// # Errors
    /// Managers may not see what they manage.
    pub fn read(fields: &ProjectFields) -> anyhow::Result<Self> {
        let managers = fields.managers.unwrap_or(Concession::Act);
        anyhow::ensure!(
            managers >= Concession::See,
            "managers must be \"see\" or \"act\": who manages a project sees it"
        );
        let (members, required) = (fields.members.unwrap_or(Concession::See), fields.required);
        Ok(Self { members, managers, required })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<ProjectSettings> {
        ProjectSettings::read(&toml::from_str(text)?)
    }

    #[test]
    fn members_see_and_managers_act_unless_the_site_says_otherwise() {
        let settings = read("").unwrap();
        assert_eq!((settings.members, settings.managers), (Concession::See, Concession::Act));
        let settings = read("members = \"none\"\nmanagers = \"see\"\nrequired = true").unwrap();
        assert_eq!((settings.members, settings.managers), (Concession::None, Concession::See));
        assert!(settings.required);
        let error = read("managers = \"none\"").unwrap_err();
        assert!(error.to_string().contains("managers"), "{error}");
    }
}
