use reflexio_api_types::{
    AddUserProfileRequest, Added, BulkDeleteResponse, DeleteProfilesByIdsRequest, DowngradeProfilesRequest,
    DowngradeProfilesResponse, GetAllProfilesQuery, ProfileView, ProfilesViewResponse,
    SearchUserProfileRequest, UpgradeProfilesRequest, UpgradeProfilesResponse, UserProfile,
};

use crate::transport::NOTHING;
use crate::{Client, Result};

impl Client {
    /// Profiles of everybody, or of the user that the query names.
    pub async fn profiles(&self, query: &GetAllProfilesQuery) -> Result<Vec<ProfileView>> {
        let answer: ProfilesViewResponse = self.get("/api/get_all_profiles", query).await?;
        Ok(answer.user_profiles)
    }

    pub async fn search_profiles(&self, request: &SearchUserProfileRequest) -> Result<ProfilesViewResponse> {
        self.post("/api/search_profiles", request).await
    }

    pub async fn add_profiles(&self, user_profiles: Vec<UserProfile>) -> Result<Added> {
        self.post("/api/add_user_profile", &AddUserProfileRequest { user_profiles }).await
    }

    pub async fn delete_profiles(&self, profile_ids: Vec<String>) -> Result<BulkDeleteResponse> {
        self.delete("/api/delete_profiles_by_ids", Some(&DeleteProfilesByIdsRequest { profile_ids })).await
    }

    pub async fn delete_all_profiles(&self) -> Result<BulkDeleteResponse> {
        self.delete("/api/delete_all_profiles", NOTHING).await
    }

    pub async fn upgrade_profiles(
        &self,
        request: &UpgradeProfilesRequest,
    ) -> Result<UpgradeProfilesResponse> {
        self.post("/api/upgrade_all_profiles", request).await
    }

    pub async fn downgrade_profiles(
        &self,
        request: &DowngradeProfilesRequest,
    ) -> Result<DowngradeProfilesResponse> {
        self.post("/api/downgrade_all_profiles", request).await
    }
}
